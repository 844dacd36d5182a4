// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "bench/stores/store.hpp"
#include "crivo/build/build.hpp"
#include "crivo/store.hpp"

namespace crivo::bench {
namespace {

class OpenCrivo final : public OpenStore {
 public:
  OpenCrivo(const std::filesystem::path& directory, const OpenOptions& options)
      : store_(Store::open(directory / "store", options)), reader_(store_) {}

  std::string_view find(std::string_view key, bool& found) override {
    const Store::Answer answer = reader_.find(key);
    found = answer.status == Store::Status::found;
    return answer.record;
  }
  bool find_all(std::span<const std::string_view> keys,
                const std::function<void(std::string_view, bool)>& use) override {
    reader_.find(keys, [&](std::size_t, const Store::Answer& answer) {
      use(answer.record, answer.status == Store::Status::found);
    });
    return true;
  }
  bool scan(std::string_view prefix,
            const std::function<void(std::string_view, std::string_view)>& use) override {
    if (!store_.is_ordered()) return false;
    if (!cursor_) cursor_.emplace(store_);
    for (bool more = cursor_->seek(prefix); more && cursor_->key().starts_with(prefix);
         more = cursor_->next())
      use(cursor_->key(), cursor_->record());
    return true;
  }

 private:
  Store store_;
  Store::Reader reader_;
  std::optional<Store::Cursor> cursor_;
};

// `goal` is of codec auto.
StoreMethod method(const std::string& backend, const std::string& codec, std::uint32_t block = 0,
                   const std::string& goal = "") {
  const std::string name = "Crivo " + backend + " " + codec +
                           (block == 0 ? "" : " " + std::to_string(block) + " B") +
                           (goal.empty() ? "" : ", " + goal);
  StoreOptions store;
  store.backend = backend;
  store.codec = codec;
  if (block != 0) store.block_bytes = block;
  if (!goal.empty()) store.goal = goal;
  const auto build = [store](const RecordSet& set, const std::filesystem::path& directory) {
    build_crivo(set, directory, store);
  };
  return {name, build, [](const auto& directory) {
            return std::make_unique<OpenCrivo>(directory, OpenOptions{});
          }};
}

// The same in the order of its keys.
StoreMethod ordered_method(const std::string& codec) {
  StoreMethod method;
  method.name = "Crivo flat " + codec + ", ordered";
  method.build = [codec](const RecordSet& set, const std::filesystem::path& directory) {
    build_crivo(set, directory, {.backend = "flat", .codec = codec, .ordered = true});
  };
  method.open = [](const auto& directory) {
    return std::make_unique<OpenCrivo>(directory, OpenOptions{});
  };
  return method;
}

// The same store with its index in memory, which is told apart where files were evicted.
StoreMethod with_index_in_memory(StoreMethod method) {
  method.name += ", index=preload,data=random";
  method.open = [](const auto& directory) {
    OpenOptions options{OpenMode::preload};
    options.data_mode = OpenMode::mapped;
    return std::make_unique<OpenCrivo>(directory, options);
  };
  return method;
}

}  // namespace

void build_crivo(const RecordSet& set, const std::filesystem::path& directory,
                 const StoreOptions& store) {
  BuildOptions options;
  options.resources.threads = 1;
  options.resources.temp_dir = directory;
  KeyInput input{.paths = {set.path}, .format = {}};
  input.format.framing = KeyFormat::Framing::null;
  (void)build_store(input, directory / "store", store, options);
}

void add_crivo_stores(std::vector<StoreMethod>& methods) {
  for (const char* const goal : {"smallest", "size", "balanced", "speed"}) {
    methods.push_back(method("flat", "auto", 0, goal));
  }
  for (const char* const codec : {"none", "tokens16"}) {
    methods.push_back(with_index_in_memory(method("flat", codec)));
  }
  for (const char* const codec : {"auto", "none", "tokens16", "zstd"})
    methods.push_back(ordered_method(codec));
  for (const char* const backend : {"flat", "lmdb"}) {
    for (const char* const codec : {"none", "tokens12", "tokens16"}) {
      methods.push_back(method(backend, codec));
    }
    for (const std::uint32_t block : {512, 2048, 4096}) {
      methods.push_back(method(backend, "zstd", block));
    }
  }
}

}  // namespace crivo::bench
