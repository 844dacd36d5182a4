// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/idle_pool.hpp"
#include "base/parallel.hpp"
#include "lookup/lookup_blocks.hpp"
#include "lookup/store_impl.hpp"

namespace crivo::index {
namespace {

/// Ranges of ranks that a thread takes one by one: enough that all threads end together.
constexpr std::uint64_t kRangesPerThread = 16;
/// Fewer keys than this are not worth another thread.
constexpr std::size_t kKeysPerThread = 64;

struct RankedKey {
  std::uint64_t rank;
  std::size_t index;
};

/// Returns the rank that the build gave each key, or RankIndex::kAbsent.
std::vector<std::uint64_t> ranks_of(const StoreFiles& files, const HashFunction& function,
                                    std::span<const std::string_view> keys, unsigned threads) {
  std::vector<std::uint64_t> ranks(keys.size());
  base::parallel_ranges(
      threads, keys.size(), kLookupBlock, [&](std::uint64_t first, std::uint64_t end) {
        const auto some = keys.subspan(first, end - first);
        if (files.ranks.in_order != nullptr)
          return files.ranks.ranks_of(some, std::span(ranks).subspan(first, some.size()));
        const auto rank_all = [&](std::span<const Hash128> hashes, std::size_t begin) {
          std::uint64_t* const found = ranks.data() + first + begin;
          files.ranks.by_hash->lookup(hashes, found);
          for (std::size_t i = 0; i < hashes.size(); ++i) {
            if (found[i] != index::RankIndex::kAbsent &&
                !files.sealed->may_hold(found[i], hashes[i].hi)) {
              found[i] = index::RankIndex::kAbsent;
            }
          }
        };
        for_each_hashed_block(some, function, rank_all);
      });
  return ranks;
}

}  // namespace

void find_by_rank(const StoreFiles& files, std::span<const std::string_view> keys, unsigned threads,
                  const VisitFound& visit) {
  threads = static_cast<unsigned>(
      std::min<std::size_t>(threads, base::div_ceil(keys.size(), kKeysPerThread)));
  const HashFunction function = hash_function(files.index.header());
  const std::vector<std::uint64_t> ranks = ranks_of(files, function, keys, threads);

  // The keys are brought into ranges of ranks, each of which is sorted by the thread that takes it.
  constexpr std::uint64_t kAbsent = index::RankIndex::kAbsent;
  const std::uint64_t size = std::max<std::uint64_t>(files.index.header().keys, 1);
  const std::uint64_t width = base::div_ceil(size, threads * kRangesPerThread + 1);
  const std::size_t ranges = base::div_ceil(size, width);
  std::vector<std::size_t> begins(ranges + 1);
  for (const std::uint64_t rank : ranks) {
    if (rank != kAbsent) ++begins[rank / width];
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<RankedKey> found(begins.back());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] != kAbsent) found[--begins[ranks[i] / width]] = {ranks[i], i};
  }

  const std::shared_ptr<const records::RecordFile> records = files.records();
  using Readers = base::IdlePool<records::RecordReader>;
  Readers readers([&] { return records->reader(); });
  const bool has_added = records->has_added();
  // A key that the build lacks may have been added.
  const auto find_added = [&](records::RecordReader& reader, std::size_t i) {
    return reader.find_added(detail::HashAccess::raw(function, keys[i]), keys[i]);
  };
  base::parallel_for(threads, ranges + 1, [&](std::uint64_t r) {
    if (r == ranges) {
      const Readers::Handle reader = has_added ? readers.take() : Readers::Handle();
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (ranks[i] == kAbsent) visit(i, reader ? find_added(*reader, i) : records::Lookup{});
      }
      return;
    }
    const auto range = std::span(found).subspan(begins[r], begins[r + 1] - begins[r]);
    if (range.empty()) return;
    std::ranges::sort(range, {}, &RankedKey::rank);
    const auto reader = readers.take();
    for (const RankedKey& key : range) {
      const records::Lookup at_rank = reader->read(key.rank, keys[key.index]);
      const bool may_be_added = at_rank.outcome == records::Outcome::absent && has_added;
      visit(key.index, may_be_added ? find_added(*reader, key.index) : at_rank);
    }
  });
}

}  // namespace crivo::index
