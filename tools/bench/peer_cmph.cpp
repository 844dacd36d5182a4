// CMPH (libcmph-dev), each algorithm with the library's own parameters but where said.

#include <cmph.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>

#include "bench/loops.hpp"
#include "bench/methods.hpp"

namespace crivo::bench {
namespace {

/// A packed function: one run of bytes, as a program maps or loads it.
struct Built {
  std::unique_ptr<char[]> packed;
  std::size_t bytes = 0;
};

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

template <CMPH_ALGO kAlgorithm>
void* build(const crivo_bench_keys* keys, unsigned, const char** why) {
  if (keys->count > std::numeric_limits<cmph_uint32>::max()) {
    *why = "ranks have 32 bits";
    return nullptr;
  }
  if (kAlgorithm == CMPH_FCH && keys->count > 1'000'000) {
    *why = "minutes and more beyond 10^6 keys";
    return nullptr;
  }
  Cursor cursor{keys->keys};
  cmph_io_adapter_t source{&cursor, static_cast<cmph_uint32>(keys->count), read_key, dispose_key,
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
    *why = "CMPH found none";
    return nullptr;
  }
  auto built = std::make_unique<Built>();
  built->bytes = cmph_packed_size(function.get());
  built->packed = std::make_unique_for_overwrite<char[]>(built->bytes);
  cmph_pack(function.get(), built->packed.get());
  return built.release();
}

const Built& of(const void* built) {
  return *static_cast<const Built*>(built);
}

void destroy(void* built) {
  delete static_cast<Built*>(built);
}

std::uint64_t bits(const void* built) {
  return 8 * std::uint64_t{of(built).bytes};
}

auto search(const void* built, const crivo_bench_key* keys) {
  return [packed = of(built).packed.get(), keys](std::size_t i) {
    return std::uint64_t{
        cmph_search_packed(packed, keys[i].data, static_cast<cmph_uint32>(keys[i].size))};
  };
}

void lookup(const void* built, const crivo_bench_keys* keys, std::uint64_t* ranks) {
  look_up_each(*keys, ranks, search(built, keys->keys));
}

void lookup_dependent(const void* built, const crivo_bench_keys* keys, std::uint64_t* ranks) {
  look_up_dependent(*keys, ranks, search(built, keys->keys));
}

template <CMPH_ALGO kAlgorithm>
Method method(const char* name) {
  return {{name, build<kAlgorithm>, destroy, bits, lookup, lookup_dependent, nullptr}, "CMPH"};
}

}  // namespace

std::vector<Method> cmph_methods() {
  return {method<CMPH_CHD>("CHD"), method<CMPH_BDZ>("BDZ"), method<CMPH_BMZ>("BMZ"),
          method<CMPH_CHM>("CHM"), method<CMPH_BRZ>("BRZ"), method<CMPH_FCH>("FCH")};
}

}  // namespace crivo::bench
