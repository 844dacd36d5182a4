// SPDX-License-Identifier: Apache-2.0
// CMPH (libcmph-dev), each algorithm with the library's own parameters but where said.

#include <cmph.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>

#include "bench/methods.hpp"
#include "bench/structure.hpp"
#include "bench/value_array.hpp"

namespace crivo::bench {
namespace {

/// Hands CMPH the keys where they lie, without the copy that its own adapters make.
struct Cursor {
  const crivo_bench_key* keys;
  std::size_t next = 0;
};

int read_key(void* data, char** key, cmph_uint32* size) {
  auto& cursor = *static_cast<Cursor*>(data);
  const crivo_bench_key& next = cursor.keys[cursor.next++];
  *key = const_cast<char*>(next.data);  // CMPH only reads it
  *size = static_cast<cmph_uint32>(next.size);
  return static_cast<int>(next.size);
}

void dispose_key(void*, char*, cmph_uint32) {}

void rewind_keys(void* data) {
  static_cast<Cursor*>(data)->next = 0;
}

struct Closer {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
struct Destroyer {
  void operator()(cmph_t* function) const noexcept { cmph_destroy(function); }
};
using File = std::unique_ptr<std::FILE, Closer>;
using Function = std::unique_ptr<cmph_t, Destroyer>;
using Config = std::unique_ptr<cmph_config_t, decltype(&cmph_config_destroy)>;

/// A folder for BRZ's buckets that goes with the object.
class WorkFolder {
 public:
  WorkFolder() : path_((std::filesystem::temp_directory_path() / "crivo-bench-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
    path_ += '/';  // CMPH appends file names as it is
  }
  ~WorkFolder() {
    std::error_code ignored;
    if (path_.size() > 1) std::filesystem::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  cmph_uint8* path() noexcept { return reinterpret_cast<cmph_uint8*>(path_.data()); }

 private:
  std::string path_;
};

/// BRZ writes its parts to a file as it goes, and what it returns has to be completed and read from
/// there.
Function build_brz(cmph_config_t* config) {
  WorkFolder folder;
  const File file(std::tmpfile());
  if (!file) return nullptr;
  cmph_config_set_tmp_dir(config, folder.path());
  cmph_config_set_memory_availability(config,
                                      256);  // in MB; with its own 1 it fails on 5 * 10^6 URLs
  cmph_config_set_mphf_fd(config, file.get());
  const Function written(cmph_new(config));
  if (!written || cmph_dump(written.get(), file.get()) == 0) return nullptr;
  std::rewind(file.get());
  return Function(cmph_load(file.get()));
}

/// A packed function: one run of bytes, as a program maps or loads it.
template <CMPH_ALGO kAlgorithm>
class Packed {
 public:
  static std::unique_ptr<Packed> build(const crivo_bench_keys& keys, unsigned, const char*& why) {
    if (keys.count > std::numeric_limits<cmph_uint32>::max()) {
      why = "ranks have 32 bits";
      return nullptr;
    }
    if (kAlgorithm == CMPH_FCH && keys.count > 1'000'000) {
      why = "minutes and more beyond 10^6 keys";
      return nullptr;
    }
    Cursor cursor{keys.keys};
    cmph_io_adapter_t source{&cursor, static_cast<cmph_uint32>(keys.count), read_key, dispose_key,
                             rewind_keys};
    const Config config(cmph_config_new(&source), cmph_config_destroy);
    cmph_config_set_algo(config.get(), kAlgorithm);
    if (kAlgorithm == CMPH_CHD) {
      // As published: 5 keys a bucket, 99 % load. The library's own are faster to build, and 4.2
      // bits.
      cmph_config_set_b(config.get(), 5);
      cmph_config_set_graphsize(config.get(), 0.99);
    }
    const Function function =
        kAlgorithm == CMPH_BRZ ? build_brz(config.get()) : Function(cmph_new(config.get()));
    if (!function) {
      why = "CMPH found none";
      return nullptr;
    }
    auto built = std::make_unique<Packed>();
    built->size_ = cmph_packed_size(function.get());
    built->bytes_ = std::make_unique_for_overwrite<char[]>(built->size_);
    cmph_pack(function.get(), built->bytes_.get());
    return built;
  }

  std::uint64_t bits() const { return 8 * std::uint64_t{size_}; }

  template <typename Use>
  void with_lookup(const crivo_bench_keys& keys, Use&& use) const {
    use([packed = bytes_.get(), all = keys.keys](std::size_t i) {
      return std::uint64_t{
          cmph_search_packed(packed, all[i].data, static_cast<cmph_uint32>(all[i].size))};
    });
  }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

template <CMPH_ALGO kAlgorithm>
Method method(const char* name) {
  return {method_of<Packed<kAlgorithm>>(name), "CMPH"};
}

}  // namespace

std::vector<Method> cmph_mphfs() {
  return {method<CMPH_CHD>("CHD"), method<CMPH_BDZ>("BDZ"), method<CMPH_BMZ>("BMZ"),
          method<CMPH_CHM>("CHM"), method<CMPH_BRZ>("BRZ"), method<CMPH_FCH>("FCH")};
}

std::vector<Method> cmph_maps() {
  return {{method_of<ValueArray<Packed<CMPH_CHM>>>("CHM + array"), "CMPH"}};
}

}  // namespace crivo::bench
