#include "keys/partition_sort.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "util/bits.hpp"

namespace crivo::keys {
namespace {

/// Sorts by insertion; linear where every element is close to its place.
template <typename Element>
void insertion_sort(std::span<Element> elements) {
  for (std::size_t i = 1; i < elements.size(); ++i) {
    const Element moving = elements[i];
    std::size_t to = i;
    for (; to != 0 && moving < elements[to - 1]; --to) elements[to] = elements[to - 1];
    elements[to] = moving;
  }
}

}  // namespace

/// One counting pass on the bits after the prefix, which leaves a few hashes a bucket, then
/// insertion. Buckets that are large all the same (hashes chosen by an adversary) are sorted apart.
template <typename Element>
void PartitionSort<Element>::sort(std::span<const Element> elements, std::span<Element> sorted) {
  constexpr std::size_t kLargeBucket = 64;
  constexpr unsigned kMaxBucketBits = 20;
  const unsigned width = static_cast<unsigned>(std::bit_width(elements.size()));
  const unsigned bits = std::min(width > 2 ? width - 2 : 0, kMaxBucketBits);
  const auto bucket_of = [&](const Element& element) {
    return util::top_bits(hash_of(element).hi << prefix_bits_, bits);
  };
  bucket_ends_.assign(std::size_t{1} << bits, 0);
  for (const Element& element : elements) ++bucket_ends_[bucket_of(element)];
  std::uint64_t begin = 0;
  bool large = false;
  for (std::uint64_t& end : bucket_ends_) {
    large |= end > kLargeBucket;
    begin += std::exchange(end, begin);
  }
  for (const Element& element : elements) sorted[bucket_ends_[bucket_of(element)]++] = element;
  if (large) {
    begin = 0;
    for (const std::uint64_t end : bucket_ends_) {
      if (end - begin > kLargeBucket) std::ranges::sort(sorted.subspan(begin, end - begin));
      begin = end;
    }
  }
  insertion_sort(sorted);
}

template <typename Element>
std::uint64_t drop_repeats(std::span<Element> sorted, std::vector<Hash128>& repeated) {
  const auto first = std::ranges::adjacent_find(sorted, {}, hash_of<Element>);
  if (first == sorted.end()) return sorted.size();
  auto kept = static_cast<std::size_t>(first - sorted.begin());
  for (std::size_t i = kept + 1; i < sorted.size(); ++i) {
    const Hash128& hash = hash_of(sorted[i]);
    if (hash != hash_of(sorted[kept])) {
      sorted[++kept] = sorted[i];
    } else if (repeated.empty() || repeated.back() != hash) {
      repeated.push_back(hash);
    }
  }
  return kept + 1;
}

template class PartitionSort<Hash128>;
template class PartitionSort<HashedValue>;
template class PartitionSort<PlacedValue>;
template std::uint64_t drop_repeats(std::span<Hash128>, std::vector<Hash128>&);
template std::uint64_t drop_repeats(std::span<HashedValue>, std::vector<Hash128>&);
template std::uint64_t drop_repeats(std::span<PlacedValue>, std::vector<Hash128>&);

}  // namespace crivo::keys
