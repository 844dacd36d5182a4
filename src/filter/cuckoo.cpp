#include "filter/cuckoo.hpp"

#include <algorithm>
#include <array>

#include "filter/cuckoo_bucket.hpp"
#include "filter/cuckoo_shape.hpp"

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

/// Fingerprints of at most 16 bits: a bucket is 64 bits, or fewer and within 64 of a byte's start.
class NarrowBuckets {
 public:
  explicit NarrowBuckets(const Fingerprints& fingerprints) noexcept
      : bits_(fingerprints.bucket_bits()), match_(fingerprints.low_bits) {}
  bool holds(const std::byte* data, std::uint64_t index, std::uint32_t fingerprint) const noexcept {
    const std::uint64_t bit = index * bits_;
    return match_(file::load_le<std::uint64_t>(data + bit / 8) >> (bit % 8), fingerprint);
  }
  const std::byte* address(const std::byte* data, std::uint64_t index) const noexcept {
    return data + index * bits_ / 8;
  }

 private:
  std::uint64_t bits_;
  FieldMatch<std::uint64_t> match_;
};

class WideBuckets {
 public:
  explicit WideBuckets(const Fingerprints& fingerprints) noexcept
      : bits_(fingerprints.bucket_bits()), match_(fingerprints.low_bits) {}
  bool holds(const std::byte* data, std::uint64_t index, std::uint32_t fingerprint) const noexcept {
    return match_(load_bits(data, index * bits_), fingerprint);
  }
  const std::byte* address(const std::byte* data, std::uint64_t index) const noexcept {
    return data + index * bits_ / 8;
  }

 private:
  std::uint64_t bits_;
  FieldMatch<Word> match_;
};

class SemiSortedBuckets {
 public:
  explicit SemiSortedBuckets(const Fingerprints& fingerprints) noexcept : packing_(fingerprints) {}
  bool holds(const std::byte* data, std::uint64_t index, std::uint32_t fingerprint) const noexcept {
    bool held = false;
    for (const std::uint32_t slot : packing_.get(data, index)) held |= slot == fingerprint;
    return held;
  }
  const std::byte* address(const std::byte* data, std::uint64_t index) const noexcept {
    return data + index * packing_.bucket_bits() / 8;
  }

 private:
  Packing packing_;
};

template <typename Buckets>
class CuckooFilter final : public Membership {
 public:
  CuckooFilter(const Header& header, const std::byte* data)
      : header_(header), shape_(header.shape), buckets_(shape_.fingerprints), data_(data) {}

  std::uint64_t size() const noexcept override { return header_.keys; }
  double fpr() const noexcept override { return header_.fpr(); }

  std::vector<Parameter> parameters() const override {
    return {{"buckets", shape_.buckets()},
            {"load", static_cast<double>(header_.keys) / static_cast<double>(shape_.slots())},
            {"capacity", header_.capacity},
            {"semi_sorted", shape_.fingerprints.semi_sorted()},
            {"fingerprints", shape_.fingerprints.largest()}};
  }

  bool contains(Hash128 hash) const noexcept override { return holds(find(hash)); }

  void contains(std::span<const Hash128> hashes, bool* answers) const noexcept override {
    std::array<Pair, 32> pairs;
    while (!hashes.empty()) {
      const std::size_t size = std::min(pairs.size(), hashes.size());
      for (std::size_t i = 0; i < size; ++i) {
        pairs[i] = find(hashes[i]);
        __builtin_prefetch(buckets_.address(data_, pairs[i].first));
        __builtin_prefetch(buckets_.address(data_, pairs[i].second));
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

  Pair find(Hash128 hash) const noexcept {
    const Place place = shape_.place(hash);
    const std::uint64_t begin = place.segment * shape_.segment_buckets;
    return {begin + place.first, begin + shape_.other(place.first, place.fingerprint),
            place.fingerprint};
  }

  /// Both buckets are loaded before either is looked at: a branch would cost more than it saves.
  bool holds(const Pair& pair) const noexcept {
    const bool first = buckets_.holds(data_, pair.first, pair.fingerprint);
    const bool second = buckets_.holds(data_, pair.second, pair.fingerprint);
    return static_cast<int>(first) + static_cast<int>(second) != 0;
  }

  Header header_;
  Shape shape_;
  Buckets buckets_;
  const std::byte* data_;
};

}  // namespace
}  // namespace cuckoo

Plan plan_cuckoo(std::uint64_t n, const FilterOptions& options) {
  const cuckoo::Shape shape = cuckoo::choose_shape(n, options);
  if (n == 0) return {};
  return {8 * static_cast<double>(shape.bytes()) / static_cast<double>(n),
          cuckoo::expected_fpr(shape, n)};
}

std::unique_ptr<const Membership> open_cuckoo(file::ByteView section) {
  using namespace cuckoo;
  const Header header = Header::decode(section);
  const std::byte* data = section.data() + kHeaderBytes;
  const Fingerprints fingerprints = header.shape.fingerprints;
  if (fingerprints.semi_sorted()) {
    return std::make_unique<CuckooFilter<SemiSortedBuckets>>(header, data);
  }
  if (fingerprints.low_bits <= 16) {
    return std::make_unique<CuckooFilter<NarrowBuckets>>(header, data);
  }
  return std::make_unique<CuckooFilter<WideBuckets>>(header, data);
}

}  // namespace crivo::filter
