#include "stream/partition_sort.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "bits/arithmetic.hpp"

namespace crivo::stream {
namespace {

/// So many are sorted in a core's second-level cache; more are split into parts of a quarter.
constexpr std::uint64_t kSmall = std::uint64_t{1} << 16;
constexpr std::size_t kLargeBucket = 64;

/// Sorts by insertion; linear where every element is close to its place.
template <typename Element>
void insertion_sort(std::span<Element> elements) {
  for (std::size_t i = 1; i < elements.size(); ++i) {
    if (!(elements[i] < elements[i - 1])) continue;
    const Element moving = elements[i];
    std::size_t to = i;
    for (; to != 0 && moving < elements[to - 1]; --to) elements[to] = elements[to - 1];
    elements[to] = moving;
  }
}

/// Asks for the memory of a run, which stands anywhere.
template <typename Element>
void prefetch(std::span<const Element> run) noexcept {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kMost = 2048;
  const auto* const bytes = reinterpret_cast<const std::byte*>(run.data());
  for (std::size_t at = 0; at < std::min(run.size_bytes(), kMost); at += kLine) {
    __builtin_prefetch(bytes + at);
  }
}

/// A counting sort of the runs by the `bits` bits after the prefix. `ends` has the end of each
/// bucket afterwards; true if one has more than kLargeBucket elements.
template <typename Element, typename Index>
bool scatter(std::span<const std::span<const Element>> runs, unsigned prefix_bits, unsigned bits,
             std::vector<Index>& ends, Element* to) {
  const auto bucket_of = [&](const Element& element) {
    return bits::top_bits(hash_of(element).hi << prefix_bits, bits);
  };
  ends.assign(std::size_t{1} << bits, 0);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i + 1 < runs.size()) prefetch(runs[i + 1]);
    for (const Element& element : runs[i]) ++ends[bucket_of(element)];
  }
  Index begin = 0;
  bool large = false;
  for (Index& end : ends) {
    large |= end > kLargeBucket;
    begin += std::exchange(end, begin);
  }
  for (const auto run : runs) {
    for (const Element& element : run) to[ends[bucket_of(element)]++] = element;
  }
  return large;
}

}  // namespace

/// One counting pass, which leaves a hash or two a bucket, then insertion. Buckets that are large
/// all the same (hashes chosen by an adversary) are sorted apart.
template <typename Element>
void PartitionSort<Element>::sort_small(std::span<const std::span<const Element>> runs,
                                        unsigned prefix_bits, std::span<Element> sorted) {
  const auto width = static_cast<unsigned>(std::bit_width(sorted.size()));
  if (scatter(runs, prefix_bits, width > 1 ? width - 1 : 0, ends_, sorted.data())) {
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      if (end - begin > kLargeBucket) std::ranges::sort(sorted.subspan(begin, end - begin));
      begin = end;
    }
  }
  insertion_sort(sorted);
}

template <typename Element>
void PartitionSort<Element>::sort(std::span<const std::span<const Element>> runs,
                                  unsigned prefix_bits, std::span<Element> sorted) {
  if (sorted.size() <= kSmall) return sort_small(runs, prefix_bits, sorted);
  const auto bits = static_cast<unsigned>(std::bit_width(sorted.size() / (kSmall / 4)));
  parts_.resize(std::max(parts_.size(), sorted.size()));
  (void)scatter(runs, prefix_bits, bits, part_ends_, parts_.data());
  std::uint64_t begin = 0;
  for (const std::uint64_t end : part_ends_) {
    const std::span<const Element> part(parts_.data() + begin, end - begin);
    const std::span<Element> place = sorted.subspan(begin, end - begin);
    if (part.size() <= kSmall) {
      sort_small({&part, 1}, prefix_bits + bits, place);
    } else {  // far more than its share: an adversary's
      std::ranges::copy(part, place.begin());
      std::ranges::sort(place);
    }
    begin = end;
  }
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

}  // namespace crivo::stream
