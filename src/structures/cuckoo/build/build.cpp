// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "crivo/error.hpp"
#include "structures/bits/fixed_point.hpp"
#include "structures/cuckoo/build/cuckoo.hpp"
#include "structures/cuckoo/shape.hpp"

namespace crivo::filter {
namespace cuckoo {
namespace {

/// So many fingerprints of a segment at most are stashed: more are no work of a hash function.
constexpr std::size_t kMaxStashed = 1024;

/// One segment while it is filled.
class Segment {
 public:
  explicit Segment(const Shape& shape) : shape_(shape), buckets_(shape.segment_buckets) {}

  /// Puts all hashes in, or in the stash; false if too many do not fit.
  bool fill(std::span<const Hash128> hashes, std::uint64_t seed) {
    if (hashes.size() > kSlots * buckets_.size() + kMaxStashed) return false;
    struct Waiting {
      std::uint32_t bucket;
      std::uint32_t fingerprint;
    };
    std::vector<Waiting> waiting;
    for (const Hash128 hash : hashes) {  // ascending, so first buckets are met in order
      const Place place = shape_.place(hash.hi);
      if (put(buckets_[place.first], place.fingerprint)) continue;
      const std::uint64_t other = shape_.other(place.first, place.fingerprint);
      if (put(buckets_[other], place.fingerprint)) continue;
      waiting.push_back({static_cast<std::uint32_t>(other), place.fingerprint});
    }
    Choices choices(seed);
    const auto get = [this](std::uint64_t index) { return buckets_[index]; };
    const auto set = [this](std::uint64_t index, const Bucket& bucket) {
      buckets_[index] = bucket;
    };
    for (const Waiting& one : waiting) {
      const auto homeless = insert(shape_, one.bucket, one.fingerprint, choices, get, set);
      if (!homeless) continue;
      if (stash_.size() == kMaxStashed) return false;
      const std::uint64_t other = shape_.other(homeless->bucket, homeless->fingerprint);
      stash_.push_back({std::min(homeless->bucket, other), homeless->fingerprint});
    }
    std::ranges::sort(stash_);
    return true;
  }

  /// Returns the keys that did not fit, in buckets of this segment.
  const std::vector<Stashed>& stash() const noexcept { return stash_; }

  /// Header::pairs of this segment.
  std::uint64_t pairs() const noexcept {
    std::uint64_t pairs = 0;
    for (std::uint64_t at = 0; at < buckets_.size(); ++at) {
      const Bucket& bucket = buckets_[at];
      for (unsigned i = 0; i < kSlots; ++i) {
        const std::uint32_t fingerprint = bucket[i];
        bool again = fingerprint == 0;
        for (unsigned j = 0; j < i; ++j) again |= bucket[j] == fingerprint;
        if (again) continue;
        const Bucket& other = buckets_[shape_.other(at, fingerprint)];
        bool both = false;
        for (const std::uint32_t there : other) both |= there == fingerprint;
        pairs += both ? 1 : 2;  // its other counts it too
      }
    }
    for (std::size_t i = 0; i < stash_.size(); ++i) {
      const auto [bucket, fingerprint] = stash_[i];
      if (i != 0 && stash_[i - 1] == stash_[i]) continue;
      const std::uint64_t other = shape_.other(bucket, fingerprint);
      const auto in = [&, f = fingerprint](std::uint64_t at) {
        return std::ranges::find(buckets_[at], f) != buckets_[at].end();
      };
      if (!in(bucket) && !in(other)) pairs += bucket == other ? 1 : 2;
    }
    return pairs;
  }

  /// Packs the buckets to whole bytes at `data`.
  void pack(std::byte* data) const {
    const Packing packing(shape_.fingerprints);
    const unsigned bits = packing.bucket_bits();
    bits::BitsWord held = 0;  // of the bits from `data` on, those not yet stored
    unsigned held_bits = 0;   // below 64
    for (const Bucket& bucket : buckets_) {
      const bits::BitsWord packed = packing.pack(bucket);
      const auto low = static_cast<std::uint64_t>(packed);
      append(low, std::min(bits, 64U), held, held_bits, data);
      if (bits > 64) {
        append(static_cast<std::uint64_t>(packed >> 64), bits - 64, held, held_bits, data);
      }
    }
    for (; held_bits != 0; held_bits -= std::min(held_bits, 8U), held >>= 8) {
      *data++ = static_cast<std::byte>(held & 0xff);
    }
  }

 private:
  static void append(std::uint64_t value, unsigned bits, bits::BitsWord& held, unsigned& held_bits,
                     std::byte*& data) {
    held |= bits::BitsWord{value} << held_bits;
    held_bits += bits;
    if (held_bits < 64) return;
    base::store_le(data, static_cast<std::uint64_t>(held));
    data += 8;
    held >>= 64;
    held_bits -= 64;
  }

  const Shape& shape_;
  std::vector<Bucket> buckets_;
  std::vector<Stashed> stash_;
};

/// The body of a part is the buckets of its segment; its notes, its pairs and what is stashed.
class SegmentAssembly final : public Assembly {
 public:
  explicit SegmentAssembly(const Header& header) : header_(header) {}

  unsigned partition_bits() const noexcept override { return header_.shape.segment_bits; }
  stream::PartCost cost() const noexcept override {
    const auto keys = static_cast<double>(std::max<std::uint64_t>(header_.keys, 1));
    return {sizeof(Bucket) * static_cast<double>(header_.shape.buckets()) / keys,
            static_cast<double>(header_.shape.bytes()) / keys};
  }

  Part build_part(unsigned, std::uint64_t index, const stream::KeySlice& keys) const override {
    const Shape& shape = header_.shape;
    Segment segment(shape);
    if (!segment.fill(keys.hashes, index)) {
      throw Error(ErrorKind::bad_input,
                  "the cuckoo filter is full: too many keys have one fingerprint in one place; "
                  "build with a lower rate, more bits or another seed",
                  {.remedy = "keyed_hash"});
    }
    base::FieldWriter notes;
    notes.u64(segment.pairs());
    for (const Stashed& one : segment.stash()) {
      notes.u64(one.bucket + index * shape.segment_buckets).u32(one.fingerprint);
    }
    base::Bytes buckets(shape.segment_bytes());
    segment.pack(buckets.data());
    return {std::move(buckets), notes.take()};
  }

  void begin(const base::BuildContext&, base::Sink& sink) override {
    sink.append(header_.encode());
  }
  void join(const PartView& part, base::Sink& sink) override {
    sink.append(part.body);
    base::FieldReader notes(part.notes, "part of a filter");
    header_.pairs += notes.u64();
    while (notes.remaining() != 0) {
      const std::uint64_t bucket = notes.u64();
      header_.stash.push_back({bucket, notes.u32()});
    }
  }
  std::uint64_t place_in_page(std::uint64_t partition) const noexcept override {
    return (kHeaderBytes + partition * header_.shape.segment_bytes()) % kPageBytes;
  }
  void finish(const base::BuildContext&, base::Sink& sink) override {
    sink.append(header_.encode_end());
  }

 private:
  Header header_;
};

}  // namespace
}  // namespace cuckoo

Forecast forecast_cuckoo(std::uint64_t n, const FilterOptions& options) {
  const cuckoo::Shape shape = cuckoo::choose_shape(n, options);
  if (n == 0) return {};
  return {8 * static_cast<double>(shape.bytes()) / static_cast<double>(n),
          cuckoo::expected_fpr(shape, n)};
}

std::unique_ptr<Assembly> plan_cuckoo(std::uint64_t n, const FilterOptions& options) {
  using namespace cuckoo;
  const Shape shape = choose_shape(n, options);
  const std::uint64_t fpr = options.bits ? 0 : bits::fixed_part(asked_fpr(options));
  return std::make_unique<SegmentAssembly>(Header{shape, n, capacity_of(shape, fpr)});
}

}  // namespace crivo::filter
