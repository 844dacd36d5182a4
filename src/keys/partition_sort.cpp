#include "keys/partition_sort.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "util/bits.hpp"

namespace crivo::keys {
namespace {

/// Sorts by insertion; linear where every element is close to its place.
void insertion_sort(std::span<Hash128> hashes) {
  for (std::size_t i = 1; i < hashes.size(); ++i) {
    const Hash128 moving = hashes[i];
    std::size_t to = i;
    for (; to != 0 && moving < hashes[to - 1]; --to) hashes[to] = hashes[to - 1];
    hashes[to] = moving;
  }
}

}  // namespace

/// One counting pass on the bits after the prefix, which leaves a few hashes a bucket, then
/// insertion. Buckets that are large all the same (hashes chosen by an adversary) are sorted apart.
void PartitionSort::sort(std::span<const Hash128> hashes, std::span<Hash128> sorted) {
  constexpr std::size_t kLargeBucket = 64;
  constexpr unsigned kMaxBucketBits = 20;
  const unsigned width = static_cast<unsigned>(std::bit_width(hashes.size()));
  const unsigned bits = std::min(width > 2 ? width - 2 : 0, kMaxBucketBits);
  const auto bucket_of = [&](const Hash128& hash) {
    return util::top_bits(hash.hi << prefix_bits_, bits);
  };
  bucket_ends_.assign(std::size_t{1} << bits, 0);
  for (const Hash128& hash : hashes) ++bucket_ends_[bucket_of(hash)];
  std::uint64_t begin = 0;
  bool large = false;
  for (std::uint64_t& end : bucket_ends_) {
    large |= end > kLargeBucket;
    begin += std::exchange(end, begin);
  }
  for (const Hash128& hash : hashes) sorted[bucket_ends_[bucket_of(hash)]++] = hash;
  if (large) {
    begin = 0;
    for (const std::uint64_t end : bucket_ends_) {
      if (end - begin > kLargeBucket) std::ranges::sort(sorted.subspan(begin, end - begin));
      begin = end;
    }
  }
  insertion_sort(sorted);
}

std::uint64_t drop_repeats(std::span<Hash128> sorted, std::vector<Hash128>& repeated) {
  const auto first = std::ranges::adjacent_find(sorted);
  if (first == sorted.end()) return sorted.size();
  auto kept = static_cast<std::size_t>(first - sorted.begin());
  for (std::size_t i = kept + 1; i < sorted.size(); ++i) {
    if (sorted[i] != sorted[kept]) {
      sorted[++kept] = sorted[i];
    } else if (repeated.empty() || repeated.back() != sorted[i]) {
      repeated.push_back(sorted[i]);
    }
  }
  return kept + 1;
}

}  // namespace crivo::keys
