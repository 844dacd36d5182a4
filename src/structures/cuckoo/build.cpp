#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "bits/fixed_point.hpp"
#include "crivo/error.hpp"
#include "structures/cuckoo/bucket.hpp"
#include "structures/cuckoo/cuckoo.hpp"
#include "structures/cuckoo/insert.hpp"
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
      const Place place = shape_.place(hash);
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

  /// What did not fit, in buckets of this segment.
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

/// What a segment adds to the section.
struct Part {
  base::Bytes buckets;
  std::vector<Stashed> stash;
  std::uint64_t pairs = 0;
};

Part build_part(std::span<const Hash128> hashes, const Shape& shape, std::uint64_t index) {
  Segment segment(shape);
  if (!segment.fill(hashes, index)) {
    throw Error(ErrorKind::bad_input,
                "the cuckoo filter is full: too many keys have one fingerprint in one place; build "
                "with a lower --fpr, more --bits or another --seed");
  }
  Part part{base::Bytes(shape.segment_bytes()), segment.stash(), segment.pairs()};
  for (Stashed& one : part.stash) one.bucket += index * shape.segment_buckets;
  segment.pack(part.buckets.data());
  return part;
}

}  // namespace
}  // namespace cuckoo

void build_cuckoo(const stream::KeySource& hashes, const FilterOptions& options,
                  const base::BuildContext& context, base::Sink& sink) {
  using namespace cuckoo;
  const std::uint64_t n = hashes.size();
  const Shape shape = choose_shape(n, options);
  const std::uint64_t fpr = options.bits ? 0 : bits::fixed_part(asked_fpr(options));
  Header header{shape, n, capacity_of(shape, fpr)};
  context.progress.begin("filter", n);
  sink.append(header.encode());
  const auto keys = static_cast<double>(std::max<std::uint64_t>(n, 1));
  hashes.for_each_partition(
      shape.segment_bits,
      {sizeof(Bucket) * static_cast<double>(shape.buckets()) / keys,
       static_cast<double>(shape.bytes()) / keys},
      context,
      [&](std::uint64_t index, const stream::KeySlice& slice) {
        Part part = build_part(slice.hashes, shape, index);
        context.progress.add(slice.size());
        return part;
      },
      [&](std::uint64_t, const Part& part) {
        sink.append(part.buckets);
        header.stash.insert(header.stash.end(), part.stash.begin(), part.stash.end());
        header.pairs += part.pairs;
      });
  sink.append(header.encode_end());
}

}  // namespace crivo::filter
