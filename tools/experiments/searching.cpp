#include "experiments/searching.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "base/sink.hpp"
#include "crivo/error.hpp"
#include "crivo/mphf.hpp"
#include "crivo/progress.hpp"
#include "experiments/stopwatch.hpp"
#include "index/map_file.hpp"
#include "stream/streamed_keys.hpp"

namespace crivo::experiments {
namespace {

constexpr std::size_t kBlock = 1024;
constexpr std::uint32_t kFree = UINT32_MAX;

/// Searches each key: the CPU time, where start_of(key) is where the key should be.
template <typename StartOf>
double search_all(const KeySet& keys, const StartOf& start_of) {
  std::uint64_t found = 0;
  const Stopwatch stopwatch;
  for (std::uint64_t i = 0; i < keys.size(); ++i) {
    const std::string_view key = keys[i];
    found += keys.at(start_of(key)) == key ? 1 : 0;
  }
  const double seconds = stopwatch.seconds();
  if (found != keys.size()) throw Error(ErrorKind::mismatch, "a key of the set is not found");
  return seconds;
}

std::vector<std::uint32_t> pointers_by_rank(const KeySet& keys, const Mphf& mphf) {
  std::vector<std::uint32_t> pointers(keys.size(), kFree);
  std::array<std::string_view, kBlock> block;
  std::array<std::uint64_t, kBlock> ranks;
  for (std::uint64_t begin = 0; begin < keys.size(); begin += kBlock) {
    const std::size_t size = std::min<std::uint64_t>(kBlock, keys.size() - begin);
    for (std::size_t i = 0; i < size; ++i) block[i] = keys[begin + i];
    mphf.lookup(std::span<const std::string_view>(block).first(size), std::span(ranks).first(size));
    for (std::size_t i = 0; i < size; ++i) {
      if (ranks[i] >= keys.size() || pointers[ranks[i]] != kFree) {
        throw Error(ErrorKind::mismatch, "two keys have one rank, or one has none below n");
      }
      pointers[ranks[i]] = keys.start(begin + i);
    }
  }
  return pointers;
}

bool is_ordered(const stream::SortedHashes& hashes, const Mphf& mphf) {
  std::array<KeyHash, kBlock> block;
  std::array<std::uint64_t, kBlock> ranks;
  const auto all = hashes.partition(0, 0);
  for (std::size_t begin = 0; begin < all.size(); begin += kBlock) {
    const std::size_t size = std::min(kBlock, all.size() - begin);
    for (std::size_t i = 0; i < size; ++i) {
      block[i] = detail::HashAccess::tagged(mphf.hash_function(), all[begin + i]);
    }
    mphf.lookup(std::span<const KeyHash>(block).first(size), std::span(ranks).first(size));
    for (std::size_t i = 0; i < size; ++i) {
      if (ranks[i] != begin + i) return false;
    }
  }
  return true;
}

}  // namespace

Json search_mphf(const KeySet& keys, const stream::SortedHashes& hashes,
                 const std::filesystem::path& file) {
  const Mphf mphf = Mphf::open(file);
  const std::vector<std::uint32_t> pointers = pointers_by_rank(keys, mphf);
  const double seconds =
      search_all(keys, [&](std::string_view key) { return pointers[mphf.lookup(key)]; });
  return {{"seconds", seconds}, {"ordered", is_ordered(hashes, mphf)}};
}

Json search_map(const KeySet& keys, std::string_view algorithm, unsigned threads) {
  const Stopwatch build;
  stream::GatheredKeys<stream::HashedValue> gathered(threads);
  base::run_threads(threads, [&](unsigned thread) {
    auto& writer = gathered.writer(thread);
    const std::uint64_t end = keys.size() * (thread + 1) / threads;
    for (std::uint64_t i = keys.size() * thread / threads; i < end; ++i) {
      writer.add({hash_key(keys[i], kDefaultSeed), keys.start(i)});
    }
  });
  Progress progress;
  const base::BuildContext context{threads, progress};
  MapOptions options;
  options.algorithm = algorithm;
  const map::Algorithm& found = map::find_algorithm(options);
  map::Parameters parameters;
  parameters.width = static_cast<unsigned>(std::bit_width(keys.text().size()));
  base::MemorySink section;
  found.build(gathered.finish(), parameters, {}, context, section);
  const double build_seconds = build.seconds();
  const auto function = found.open(section.view());
  const auto last = static_cast<std::uint64_t>(keys.text().size() - 1);
  const double seconds = search_all(keys, [&](std::string_view key) {
    return static_cast<std::uint32_t>(std::min(function->value(hash_key(key, kDefaultSeed)), last));
  });
  return {{"seconds", seconds}, {"build", build_seconds}, {"bytes", section.size()}};
}

}  // namespace crivo::experiments
