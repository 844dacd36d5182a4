// SPDX-License-Identifier: Apache-2.0
/// Lookups in the bytes of a range section. What only asks for memory is inline for certain: the
/// compiler leaves out calls of functions that it takes for without effect.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "structures/range/shape.hpp"

namespace crivo::filter::range {

/// Some of the keys of a group, by their numbers in it.
struct KeyRun {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool empty() const noexcept { return begin >= end; }
};

/// The keys of some buckets, and their bits. All that is read lies in the body, whatever the bits
/// are.
class Group {
 public:
  /// `body` is a partition's, at least body_bytes(0) of `shape`, with 8 bytes behind it; `index` is
  /// below groups().
  [[gnu::always_inline]] Group(const Shape& shape, base::ByteView body,
                               std::uint64_t index) noexcept
      : bits_(body.data() + shape.count_bytes()), low_bits_(shape.low_bits) {
    const std::uint64_t before = count_at(body, index);
    const std::uint64_t end = count_at(body, index + 1);
    const std::uint64_t all_words = (body.size() - shape.count_bytes()) / 8;
    begin_ = index * kGroupBuckets + before * (1 + low_bits_);
    size_ = end - before;
    is_sound_ =
        before <= end && (index + 1) * kGroupBuckets + end * (1 + low_bits_) <= 64 * all_words;
    words_ = base::div_ceil(begin_ + kGroupBuckets + size_, 64);
  }

  /// False if there is no such group in the body, which then is damaged.
  bool is_sound() const noexcept { return is_sound_; }
  std::uint64_t size() const noexcept { return size_; }

  /// Asks for the buckets' ones and zeros.
  [[gnu::always_inline]] void prefetch_bits() const noexcept {
    __builtin_prefetch(bits_ + begin_ / 8);
  }
  /// Asks for the low bits of bucket `b`, where they are if the keys are spread evenly.
  [[gnu::always_inline]] void prefetch_low(std::uint64_t b) const noexcept {
    const std::uint64_t low = b * size_ / kGroupBuckets * low_bits_;
    __builtin_prefetch(bits_ + (begin_ + kGroupBuckets + size_ + low) / 8);
  }

  /// The keys of bucket `b`, below kGroupBuckets.
  KeyRun bucket(std::uint64_t b) const noexcept;
  /// The low bits of a key's code.
  std::uint64_t low(std::uint64_t key) const noexcept;
  /// Whether one of the keys' low bits are from `least` to `most`.
  bool any_low(KeyRun keys, std::uint64_t least, std::uint64_t most) const noexcept;

 private:
  static std::uint64_t count_at(base::ByteView body, std::uint64_t group) noexcept {
    return base::load_le<std::uint32_t>(body.data() + 4 * group);
  }
  /// The place, in the group, of the zero before which there are `before` others.
  std::uint64_t zero(std::uint64_t before) const noexcept;
  /// How many ones there are from a place in the group on until the next zero.
  std::uint64_t ones_at(std::uint64_t place) const noexcept;
  std::uint64_t zeros_of_word(std::uint64_t word) const noexcept {
    return ~base::load_le<std::uint64_t>(bits_ + 8 * word);
  }

  const std::byte* bits_;  ///< of the body
  std::uint64_t begin_;    ///< of the group, in bits
  std::uint64_t words_;    ///< of the body's bits, up to where the group's lows may begin
  std::uint64_t size_;     ///< keys
  unsigned low_bits_;
  bool is_sound_;
};

/// The whole section.
class Table {
 public:
  Table() = default;
  /// Checks the header and where the bodies begin: O(2^g). Throws Error(corrupt).
  explicit Table(base::ByteView section);

  const Shape& shape() const noexcept { return shape_; }

  /// Whether a key's code is from that of `first` to that of the number `last` of the same run.
  bool any(Hash128 first, std::uint64_t last) const noexcept;
  /// Asks for what any() reads first, then for what it reads with that.
  [[gnu::always_inline]] void prefetch_counts(Hash128 first) const noexcept {
    const std::uint64_t group = (shape_.code_of(first) >> shape_.low_bits) / kGroupBuckets;
    __builtin_prefetch(body(shape_.partition_of(first)).data() + 4 * group);
  }
  [[gnu::always_inline]] void prefetch_bits(Hash128 first) const noexcept {
    const std::uint64_t bucket = shape_.code_of(first) >> shape_.low_bits;
    const Group group(shape_, body(shape_.partition_of(first)), bucket / kGroupBuckets);
    group.prefetch_bits();
    group.prefetch_low(bucket % kGroupBuckets);
  }

 private:
  base::ByteView body(std::uint64_t partition) const noexcept {
    const std::byte* const entry = begins_ + 8 * partition;
    const auto begin = base::load_le<std::uint64_t>(entry);
    const std::uint64_t last = (std::uint64_t{1} << shape_.partition_bits) - 1;
    const std::uint64_t end = partition == last ? static_cast<std::uint64_t>(begins_ - section_)
                                                : base::load_le<std::uint64_t>(entry + 8);
    return {section_ + begin, end - begin};
  }

  Shape shape_;
  const std::byte* section_ = nullptr;
  const std::byte* begins_ = nullptr;  ///< of the bodies, behind the last of them
};

}  // namespace crivo::filter::range
