// SPDX-License-Identifier: Apache-2.0
#include "structures/cuckoo/cuckoo.hpp"

#include <algorithm>
#include <array>

#include "structures/cuckoo/shape.hpp"

namespace crivo::filter {
namespace cuckoo {
namespace {

/// Whether one of four fields of `bits` bits, at the low end of `word`, is `fingerprint`.
template <typename Int>
class FieldMatch {
 public:
  explicit FieldMatch(unsigned bits) noexcept {
    for (unsigned i = 0; i < kSlots; ++i) ones_ |= Int{1} << (bits * i);
    highs_ = ones_ << (bits - 1);
  }
  /// Mycroft's test for a zero field, which is exact on whether there is one.
  bool operator()(Int word, std::uint32_t fingerprint) const noexcept {
    const Int difference = word ^ ones_ * fingerprint;
    return ((difference - ones_) & ~difference & highs_) != 0;
  }

 private:
  Int ones_ = 0;
  Int highs_ = 0;
};

/// The bits from bit `bit` of `data` on: all 64 or 128, but for the last `bit % 8`.
template <typename Int>
Int load(const std::byte* data, std::uint64_t bit) noexcept {
  if constexpr (sizeof(Int) == sizeof(bits::BitsWord)) return bits::load_bits(data, bit);
  return static_cast<Int>(base::load_le<std::uint64_t>(data + bit / 8) >> (bit % 8));
}

/// Buckets that are not semi-sorted. `Int` has the bits of one, from the start of its first byte;
/// with kWholeBytes each begins one.
template <typename Int, bool kWholeBytes>
class PlainBuckets {
 public:
  explicit PlainBuckets(const Fingerprints& fingerprints) noexcept
      : stride_(fingerprints.bucket_bits() / (kWholeBytes ? 8 : 1)),
        match_(fingerprints.low_bits) {}

  /// Whether bucket `first` or bucket `second` has a fingerprint. Both are loaded before either is
  /// looked at: a branch would cost more than it saves.
  bool hold(const std::byte* data, std::uint64_t first, std::uint64_t second,
            std::uint32_t fingerprint) const noexcept {
    const auto in_first = static_cast<int>(match_(bucket(data, first), fingerprint));
    const auto in_second = static_cast<int>(match_(bucket(data, second), fingerprint));
    return (in_first | in_second) != 0;
  }

 private:
  Int bucket(const std::byte* data, std::uint64_t index) const noexcept {
    if constexpr (kWholeBytes) return base::load_le<Int>(data + index * stride_);
    return load<Int>(data, index * stride_);
  }

  std::uint64_t stride_;  ///< from a bucket to the next, in bytes or in bits
  FieldMatch<Int> match_;
};

/// Semi-sorted buckets. Most that lack a fingerprint also lack its low bits, which is seen without
/// their symbols.
template <typename Int>
class SemiSortedBuckets {
 public:
  explicit SemiSortedBuckets(const Fingerprints& fingerprints) noexcept
      : bits_(fingerprints.bucket_bits()),
        code_bits_(fingerprints.code_bits()),
        low_bits_(fingerprints.low_bits),
        low_mask_(static_cast<std::uint32_t>((std::uint64_t{1} << low_bits_) - 1)),
        match_(std::max(low_bits_, 1U)),
        symbols_(symbol_table().symbols.data()) {}

  bool hold(const std::byte* data, std::uint64_t first, std::uint64_t second,
            std::uint32_t fingerprint) const noexcept {
    const Int a = load<Int>(data, first * bits_);
    const Int b = load<Int>(data, second * bits_);
    if (low_bits_ != 0) {
      const std::uint32_t low = fingerprint & low_mask_;
      const auto in_first = static_cast<int>(match_(a >> code_bits_, low));
      const auto in_second = static_cast<int>(match_(b >> code_bits_, low));
      if ((in_first | in_second) == 0) return false;
    }
    return (holds(a, fingerprint) | holds(b, fingerprint)) != 0;
  }

 private:
  unsigned holds(Int bucket, std::uint32_t fingerprint) const noexcept {
    const std::uint32_t symbols =
        symbols_[static_cast<std::size_t>(bucket) & ((1U << code_bits_) - 1)];
    const std::uint32_t symbol =
        static_cast<std::uint32_t>(std::uint64_t{fingerprint} >> low_bits_);
    unsigned held = 0;
    bucket >>= code_bits_;
    for (unsigned i = 0; i < kSlots; ++i) {
      const std::uint32_t other_symbol = (symbols >> (4 * i) ^ symbol) & 0xf;
      const std::uint32_t other_low =
          (static_cast<std::uint32_t>(bucket) ^ fingerprint) & low_mask_;
      held |= static_cast<unsigned>((other_symbol | other_low) == 0);
      bucket >>= low_bits_;
    }
    return held;
  }

  std::uint64_t bits_;
  unsigned code_bits_;
  unsigned low_bits_;
  std::uint32_t low_mask_;
  FieldMatch<Int> match_;
  const std::uint16_t* symbols_;
};

std::vector<Parameter> parameters_of(const Header& header, const Shape& shape) {
  return {{"buckets", shape.buckets()},
          {"load", static_cast<double>(header.keys) / static_cast<double>(shape.slots())},
          {"capacity", header.capacity},
          {"semi_sorted", shape.fingerprints.semi_sorted()},
          {"stashed", std::uint64_t{header.stash.size()}},
          {"fingerprints", shape.fingerprints.largest()}};
}

template <typename Buckets>
class CuckooFilter final : public Membership {
 public:
  CuckooFilter(const Header& header, const std::byte* data)
      : header_(header),
        shape_(header.shape),
        buckets_(shape_.fingerprints),
        bits_(shape_.fingerprints.bucket_bits()),
        data_(data) {}

  std::uint64_t size() const noexcept override { return header_.keys; }
  double fpr() const noexcept override { return header_.fpr(); }

  std::vector<Parameter> parameters() const override { return parameters_of(header_, shape_); }

  bool contains(Hash128 hash) const noexcept override { return holds(find(hash.hi)); }
  detail::FilterLookup lookup() const noexcept override {
    return {.form = detail::FilterLookup::Form::first_half,
            .call =
                [](const void* filter, std::uint64_t hi, std::uint64_t) noexcept {
                  const auto& self = *static_cast<const CuckooFilter*>(filter);
                  return self.holds(self.find(hi));
                },
            .filter = this};
  }

  void contains(std::span<const Hash128> hashes, bool* answers) const noexcept override {
    std::array<Pair, 32> pairs;
    while (!hashes.empty()) {
      const std::size_t size = std::min(pairs.size(), hashes.size());
      for (std::size_t i = 0; i < size; ++i) {
        pairs[i] = find(hashes[i].hi);
        __builtin_prefetch(data_ + pairs[i].first * bits_ / 8);
        __builtin_prefetch(data_ + pairs[i].second * bits_ / 8);
      }
      for (std::size_t i = 0; i < size; ++i) answers[i] = holds(pairs[i]);
      hashes = hashes.subspan(size);
      answers += size;
    }
  }

 private:
  struct Pair {
    std::uint64_t first;
    std::uint64_t second;
    std::uint32_t fingerprint;
  };

  Pair find(std::uint64_t hi) const noexcept {
    const Place place = shape_.place(hi);
    const std::uint64_t begin = place.segment * shape_.segment_buckets;
    return {begin + place.first, begin + shape_.other(place.first, place.fingerprint),
            place.fingerprint};
  }

  bool holds(const Pair& pair) const noexcept {
    if (buckets_.hold(data_, pair.first, pair.second, pair.fingerprint)) return true;
    if (header_.stash.empty()) [[likely]] {
      return false;
    }
    const Stashed one{std::min(pair.first, pair.second), pair.fingerprint};
    return std::ranges::binary_search(header_.stash, one);
  }

  Header header_;
  Shape shape_;
  Buckets buckets_;
  std::uint64_t bits_;  ///< of a bucket
  const std::byte* data_;
};

}  // namespace
}  // namespace cuckoo

std::unique_ptr<const Membership> open_cuckoo(base::ByteView section) {
  using namespace cuckoo;
  const Header header = Header::decode(section);
  const std::byte* data = section.data() + kHeaderBytes;
  const Fingerprints fingerprints = header.shape.fingerprints;
  const unsigned bits = fingerprints.bucket_bits();
  if (fingerprints.semi_sorted()) {
    if (bits <= 57)
      return std::make_unique<CuckooFilter<SemiSortedBuckets<std::uint64_t>>>(header, data);
    return std::make_unique<CuckooFilter<SemiSortedBuckets<bits::BitsWord>>>(header, data);
  }
  // A plain bucket begins at a byte, or four bits after: of 60 bits at most, or 64 in whole bytes.
  if (bits > 64)
    return std::make_unique<CuckooFilter<PlainBuckets<bits::BitsWord, false>>>(header, data);
  if (bits % 8 != 0)
    return std::make_unique<CuckooFilter<PlainBuckets<std::uint64_t, false>>>(header, data);
  return std::make_unique<CuckooFilter<PlainBuckets<std::uint64_t, true>>>(header, data);
}

}  // namespace crivo::filter
