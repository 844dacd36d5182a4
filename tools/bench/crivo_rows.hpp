// SPDX-License-Identifier: Apache-2.0
/// What the structures of Crivo's registries have in common here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "bench/methods.hpp"
#include "bench/structure.hpp"
#include "crivo/error.hpp"
#include "crivo/key.hpp"
#include "file/container.hpp"
#include "file/output_target.hpp"
#include "file/pending_file.hpp"
#include "hashing/hash128.hpp"
#include "stream/streamed_keys.hpp"

namespace crivo::bench {

/// Key i as a text.
inline std::string_view text(const crivo_bench_keys& keys, std::size_t i) noexcept {
  return {keys.keys[i].data, keys.keys[i].size};
}

/// What the product hashes for key i, under a seed that it has from a file.
struct NumberHash {
  const std::uint64_t* numbers;
  std::uint64_t seed;

  Hash128 operator()(std::size_t i) const noexcept { return hash_key(numbers[i], seed); }
};
struct TextHash {
  const crivo_bench_key* keys;
  std::uint64_t seed;

  Hash128 operator()(std::size_t i) const noexcept {
    return hash_key(std::string_view(keys[i].data, keys[i].size), seed);
  }
};

/// use(hash), with the one of these that suits the keys.
template <typename Use>
void with_hash(const crivo_bench_keys& keys, Use&& use) {
  const std::uint64_t seed = crivo_bench_opaque(kDefaultSeed);
  if (keys.numbers != nullptr) {
    use(NumberHash{keys.numbers, seed});
  } else {
    use(TextHash{keys.keys, seed});
  }
}

/// A random number taken for a key's hash, as libraries take it whose keys are 64-bit hashes: both
/// halves are bijections of it.
struct NumberAsHash {
  const std::uint64_t* numbers;

  Hash128 operator()(std::size_t i) const noexcept {
    return {numbers[i], numbers[i] * 0x9e3779b97f4a7c15U};
  }
};
/// The same as `structure`'s own hash() makes one.
template <typename Structure>
KeyHash prepared_hash(const Structure& structure, const crivo_bench_keys& keys, std::size_t i) {
  return detail::HashAccess::tagged(structure.hash_function(), NumberAsHash{keys.numbers}(i));
}
/// For builds over numbers as hashes, which texts are not.
inline void refuse_texts(const crivo_bench_keys& keys) {
  if (keys.numbers == nullptr) throw Error(ErrorKind::usage, "texts are no hashes");
}

/// A file for one build, which never gets a name.
inline file::OutputTarget scratch_file() {
  return file::OutputTarget::file(std::filesystem::temp_directory_path() / "crivo-bench",
                                  file::IfExists::replace);
}

/// A Structure, opened from the file that write(writer) puts sections into; the header gets the
/// default seed.
template <typename Structure, typename Write>
std::unique_ptr<const Structure> written(file::Header header, Write&& write) {
  file::PendingFile file(scratch_file());
  file::ContainerWriter writer(file);
  write(writer);
  header.seed = kDefaultSeed;
  writer.finish(header, {});
  return std::make_unique<const Structure>(Structure::open(file.path_to_open()));
}

/// How a build has its keys.
enum class Keys {
  leased,  ///< as builds do, sorted a partition at a time
  sorted,  ///< all of them are sorted before, so that what a build takes is the structure's own
};

/// use(keys) for the set of element(0) to element(count - 1), which went through a key stream as
/// those of builds do.
template <typename Make, typename Use>
void with_keys(std::size_t count, Make element, Keys keys, const base::BuildContext& context,
               Use&& use) {
  stream::GatheredKeys<decltype(element(0))> gathered(context.threads);
  base::run_threads(context.threads, [&](unsigned thread) {
    auto& writer = gathered.writer(thread);
    const std::size_t end = count * (thread + 1) / context.threads;
    for (std::size_t i = count * thread / context.threads; i < end; ++i) writer.add(element(i));
  });
  const stream::HashSource& source = gathered.finish();
  try {
    if (keys == Keys::sorted) (void)source.whole(context);
    use(source);
  } catch (const stream::RepeatedHashes&) {
    throw Error(ErrorKind::bad_input, "the set to be measured has a key twice");
  }
}

/// peer.h has no room for what to build beside the keys, so that each row of a registry has a
/// function of its own.
inline constexpr std::size_t kMaxRows = 32;
template <typename Structure, std::size_t kRow>
void* build_row(const crivo_bench_keys* keys, unsigned threads, const char**) {
  return Structure::build(kRow, *keys, threads).release();
}

/// A method for each row of a registry: "Crivo " and the row's name, and Structure::build(row,
/// keys, threads), in a class that is else as method_of() wants it and has cpu_ns_from_hashes().
template <typename Structure>
std::vector<Method> crivo_rows(const std::vector<std::string>& names) {
  static constexpr auto kBuilds = []<std::size_t... kRows>(std::index_sequence<kRows...>) {
    return std::array<Build, kMaxRows>{build_row<Structure, kRows>...};
  }
  (std::make_index_sequence<kMaxRows>());
  static std::deque<std::string> lasting;  // peer.h wants names that live as long as the program
  std::vector<Method> methods;
  for (const std::string& row : names) {
    const char* const name = lasting.emplace_back("Crivo " + row).c_str();
    methods.push_back(
        {method_of<Structure>(name, kBuilds.at(methods.size())), "Crivo", [](const void* built) {
           return static_cast<const Structure*>(built)->cpu_ns_from_hashes();
         }});
  }
  return methods;
}

}  // namespace crivo::bench
