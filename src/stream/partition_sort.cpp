// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <utility>

#include "stream/sorted_hashes.hpp"

namespace crivo::stream {

/// So many are sorted in a core's second-level cache; more are split into parts of a quarter.
static constexpr std::uint64_t kSmall = std::uint64_t{1} << 16;

/// Some bits of a key's hash: 1 or more, from one of the first 64 on. (Not in the namespace
/// without a name: where files are compiled as one, gcc warns of members that capture such a type.)
class Digit {
 public:
  Digit(unsigned from, unsigned bits) noexcept
      : shift_(64 - from - bits), mask_((std::uint64_t{1} << bits) - 1) {}

  std::uint64_t values() const noexcept { return mask_ + 1; }
  template <typename HashedKey>
  std::uint64_t operator()(const HashedKey& hashed) const noexcept {
    return hash_of(hashed).hi >> shift_ & mask_;
  }

 private:
  unsigned shift_;
  std::uint64_t mask_;
};

namespace {

/// Calls visit(hashed) for all of the runs, which stand anywhere in memory: what comes next is
/// asked for ahead.
template <typename HashedKey, typename Visit>
void for_each_first(std::span<const std::span<const HashedKey>> runs, Visit&& visit) {
  constexpr std::size_t kLineKeys = 64 / sizeof(HashedKey);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::span<const HashedKey> run = runs[i];
    const HashedKey* const next = runs[std::min(i + 1, runs.size() - 1)].data();
    std::size_t j = 0;
    for (; j + kLineKeys <= run.size(); j += kLineKeys) {
      __builtin_prefetch(next + j);
      for (std::size_t k = 0; k < kLineKeys; ++k) visit(run[j + k]);
    }
    for (; j < run.size(); ++j) visit(run[j]);
  }
}

/// Turns counts into where each begins.
template <typename Index>
void sum_up(std::vector<Index>& counts) noexcept {
  Index begin = 0;
  for (Index& count : counts) begin += std::exchange(count, begin);
}

/// Puts hashed keys that have one `digit` in order where they are not; by the digit all are. True
/// if any have one hash.
template <typename HashedKey>
bool sort_equal_digits(std::span<HashedKey> sorted, Digit digit) {
  bool repeats = false;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (hash_of(sorted[i]).hi > hash_of(sorted[i - 1]).hi) [[likely]] {
      continue;
    }
    const std::uint64_t own = digit(sorted[i]);
    std::size_t begin = i - 1;
    while (begin != 0 && digit(sorted[begin - 1]) == own) --begin;
    while (i != sorted.size() && digit(sorted[i]) == own) ++i;
    const std::span<HashedKey> equal = sorted.subspan(begin, i - begin);
    std::ranges::sort(equal);
    repeats |= std::ranges::adjacent_find(equal, {}, hash_of<HashedKey>) != equal.end();
  }
  return repeats;
}

}  // namespace

/// By two digits, the lower one first, of so many bits together that few hashed keys agree in all
/// of them.
template <typename HashedKey>
bool PartitionSort<HashedKey>::sort_small(std::span<const std::span<const HashedKey>> runs,
                                          unsigned prefix_bits, std::span<HashedKey> sorted) {
  const auto width = static_cast<unsigned>(std::bit_width(sorted.size()));
  const unsigned high_bits = std::max(width, 3U) - 2;
  const unsigned low_bits = std::max(width, 4U) - 3;
  const Digit high(prefix_bits, high_bits);
  const Digit low(prefix_bits + high_bits, low_bits);
  high_begins_.assign(high.values(), 0);
  low_begins_.assign(low.values(), 0);
  for_each_first(runs, [&](const HashedKey& hashed) {
    ++high_begins_[high(hashed)];
    ++low_begins_[low(hashed)];
  });
  sum_up(high_begins_);
  sum_up(low_begins_);
  by_low_digit_.resize(std::max(by_low_digit_.size(), sorted.size()));
  for (const auto run : runs) {
    for (const HashedKey& hashed : run) by_low_digit_[low_begins_[low(hashed)]++] = hashed;
  }
  for (const HashedKey& hashed : std::span(by_low_digit_).first(sorted.size())) {
    sorted[high_begins_[high(hashed)]++] = hashed;
  }
  return sort_equal_digits(sorted, Digit(prefix_bits, high_bits + low_bits));
}

template <typename HashedKey>
bool PartitionSort<HashedKey>::sort(std::span<const std::span<const HashedKey>> runs,
                                    unsigned prefix_bits, std::span<HashedKey> sorted) {
  if (runs.size() == 1 && std::ranges::is_sorted(runs.front())) {  // a file of keys has them so
    std::ranges::copy(runs.front(), sorted.begin());
    return std::ranges::adjacent_find(sorted, {}, hash_of<HashedKey>) != sorted.end();
  }
  if (sorted.size() <= kSmall) return sort_small(runs, prefix_bits, sorted);
  const auto bits = static_cast<unsigned>(std::bit_width(sorted.size() / (kSmall / 4)));
  parts_.resize(std::max(parts_.size(), sorted.size()));
  const Digit digit(prefix_bits, bits);
  part_ends_.assign(digit.values(), 0);
  for_each_first(runs, [&](const HashedKey& hashed) { ++part_ends_[digit(hashed)]; });
  sum_up(part_ends_);
  for (const auto run : runs) {
    for (const HashedKey& hashed : run) parts_[part_ends_[digit(hashed)]++] = hashed;
  }
  bool repeats = false;
  std::uint64_t begin = 0;
  for (const std::uint64_t end : part_ends_) {
    const std::span<const HashedKey> part(parts_.data() + begin, end - begin);
    const std::span<HashedKey> place = sorted.subspan(begin, end - begin);
    if (part.size() <= kSmall) {
      repeats |= sort_small({&part, 1}, prefix_bits + bits, place);
    } else {  // far more than its share: an adversary's
      std::ranges::copy(part, place.begin());
      std::ranges::sort(place);
      repeats = true;
    }
    begin = end;
  }
  return repeats;
}

template <typename HashedKey>
std::uint64_t drop_repeats(std::span<HashedKey> sorted, std::vector<Hash128>& repeated) {
  const auto first = std::ranges::adjacent_find(sorted, {}, hash_of<HashedKey>);
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

unsigned KeysInMemory::value_bits() const noexcept {
  std::uint64_t any = 0;
  for (const std::uint64_t value : all().values) any |= value;
  return static_cast<unsigned>(std::bit_width(any));
}

SortedHashes SortedHashes::from_unsorted(std::span<const Hash128> hashes) {
  std::vector<Hash128> sorted(hashes.size());
  if (PartitionSort<Hash128>().sort({&hashes, 1}, 0, sorted)) {
    std::vector<Hash128> repeated;
    sorted.resize(drop_repeats(std::span(sorted), repeated));
  }
  return SortedHashes(std::move(sorted));
}

}  // namespace crivo::stream
