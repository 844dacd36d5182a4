// SPDX-License-Identifier: Apache-2.0
#include "experiments/searching.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/sink.hpp"
#include "build/chosen.hpp"
#include "crivo/error.hpp"
#include "crivo/progress.hpp"
#include "experiments/stopwatch.hpp"
#include "lookup/map_file.hpp"
#include "stream/streamed_keys.hpp"

namespace crivo::experiments {
namespace {

constexpr std::uint32_t kFree = UINT32_MAX;

}  // namespace

Json race(const KeySet& keys, std::span<const Contestant> contestants) {
  Json seconds = Json::object();
  for (unsigned pass = 0; pass < kPasses; ++pass) {
    for (std::size_t c = 0; c < contestants.size(); ++c) {
      std::uint64_t searched = 0;
      std::uint64_t found = 0;
      const Stopwatch stopwatch;
      for (std::uint64_t begin = pass * kPassBlock; begin < keys.size();
           begin += kParts * kPassBlock) {
        const std::uint64_t end = std::min(begin + kPassBlock, keys.size());
        found += contestants[c].search(begin, end);
        searched += end - begin;
      }
      const double took = stopwatch.seconds();
      if (found != searched) {
        throw Error(ErrorKind::mismatch, contestants[c].name + ": a key of the set is not found");
      }
      if (searched == 0) continue;
      seconds[contestants[c].name].push_back(took * static_cast<double>(keys.size()) /
                                             static_cast<double>(searched));
    }
  }
  return seconds;
}

PointersByRank::PointersByRank(const KeySet& keys, const std::filesystem::path& file)
    : mphf_(Mphf::open(file)), pointers_(keys.size(), kFree) {
  std::array<std::string_view, kPassBlock> block;
  std::array<std::uint64_t, kPassBlock> ranks;
  for (std::uint64_t begin = 0; begin < keys.size(); begin += kPassBlock) {
    const std::size_t size = std::min<std::uint64_t>(kPassBlock, keys.size() - begin);
    for (std::size_t i = 0; i < size; ++i) block[i] = keys[begin + i];
    mphf_.lookup(std::span<const std::string_view>(block).first(size),
                 std::span(ranks).first(size));
    for (std::size_t i = 0; i < size; ++i) {
      if (ranks[i] >= keys.size() || pointers_[ranks[i]] != kFree) {
        throw Error(ErrorKind::mismatch, "two keys have one rank, or one has none below n");
      }
      pointers_[ranks[i]] = keys.start(begin + i);
      preserves_order_ = preserves_order_ && ranks[i] == begin + i;
    }
  }
}

PointersByMap::PointersByMap(const KeySet& keys, std::string_view algorithm)
    : last_(keys.text().size() - 1) {
  stream::GatheredKeys<stream::HashedValue> gathered(1);
  auto& writer = gathered.writer(0);
  for (std::uint64_t i = 0; i < keys.size(); ++i) {
    writer.add({hash_key(keys[i], kDefaultSeed), keys.start(i)});
  }
  Progress progress;
  MapOptions options;
  options.algorithm = algorithm;
  const map::Builder& found = map::find_algorithm(options);
  map::Parameters parameters;
  parameters.width = static_cast<unsigned>(std::bit_width(keys.text().size()));
  base::MemorySink section;
  found.build(gathered.finish(), parameters, {}, {1, progress}, section);
  section_ = section.take();
  function_ = found.algorithm().open(base::ByteView{section_}, {});
}

std::uint32_t PointersByMap::start_of(std::string_view key) const {
  return static_cast<std::uint32_t>(std::min(function_->value(hash_key(key, kDefaultSeed)), last_));
}

}  // namespace crivo::experiments
