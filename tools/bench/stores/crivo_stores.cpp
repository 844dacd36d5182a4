#include "bench/stores/store.hpp"
#include "crivo/build.hpp"
#include "crivo/store.hpp"

namespace crivo::bench {
namespace {

class Open final : public OpenStore {
 public:
  explicit Open(const std::filesystem::path& directory)
      : store_(Store::open(directory / "store")), reader_(store_) {}

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

 private:
  Store store_;
  Store::Reader reader_;
};

StoreMethod method(const std::string& codec, std::uint32_t block) {
  const std::string name =
      "Crivo " + codec + (block == 0 ? "" : " " + std::to_string(block) + " B");
  const auto build = [codec, block](const RecordSet& set, const std::filesystem::path& directory) {
    StoreOptions store;
    store.codec = codec;
    if (block != 0) store.block_bytes = block;
    BuildOptions options;
    options.resources.threads = 1;
    options.resources.temp_dir = directory;
    KeyInput input{.paths = {set.path}, .format = {}};
    input.format.framing = KeyFormat::Framing::null;
    (void)build_store(input, directory / "store", store, options);
  };
  return {name, build, [](const auto& directory) { return std::make_unique<Open>(directory); }};
}

}  // namespace

void add_crivo_stores(std::vector<StoreMethod>& methods) {
  methods.push_back(method("none", 0));
  methods.push_back(method("tokens12", 0));
  methods.push_back(method("tokens16", 0));
  methods.push_back(method("zstd", 512));
  methods.push_back(method("zstd", 2048));
  methods.push_back(method("zstd", 4096));
}

}  // namespace crivo::bench
