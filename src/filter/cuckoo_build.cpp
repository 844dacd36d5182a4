#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "crivo/error.hpp"
#include "filter/cuckoo.hpp"
#include "filter/cuckoo_bucket.hpp"
#include "filter/cuckoo_insert.hpp"
#include "filter/cuckoo_shape.hpp"
#include "filter/filter_file.hpp"
#include "util/parallel.hpp"

namespace crivo::filter {
namespace cuckoo {
namespace {

constexpr unsigned kMaxAttempts = 64;

/// One segment while it is filled.
class Segment {
 public:
  explicit Segment(const Shape& shape) : shape_(shape), buckets_(shape.segment_buckets) {}

  /// Puts all hashes in; false if they do not fit.
  bool fill(std::span<const Hash128> hashes, std::uint64_t seed) {
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
    return std::ranges::all_of(waiting, [&](const Waiting& one) {
      return insert(shape_, one.bucket, one.fingerprint, choices, get, set);
    });
  }

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
    return pairs;
  }

  /// Packs the buckets to whole bytes at `data`.
  void pack(std::byte* data) const {
    const Packing packing(shape_.fingerprints);
    const unsigned bits = packing.bucket_bits();
    file::BitsWord held = 0;  // of the bits from `data` on, those not yet stored
    unsigned held_bits = 0;   // below 64
    for (const Bucket& bucket : buckets_) {
      const file::BitsWord packed = packing.pack(bucket);
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
  static void append(std::uint64_t value, unsigned bits, file::BitsWord& held, unsigned& held_bits,
                     std::byte*& data) {
    held |= file::BitsWord{value} << held_bits;
    held_bits += bits;
    if (held_bits < 64) return;
    file::store_le(data, static_cast<std::uint64_t>(held));
    data += 8;
    held >>= 64;
    held_bits -= 64;
  }

  const Shape& shape_;
  std::vector<Bucket> buckets_;
};

/// The hashes of a segment.
std::span<const Hash128> hashes_of(std::span<const Hash128> all, const Shape& shape,
                                   std::uint64_t segment) {
  const auto begin_of = [&](std::uint64_t index) {
    return std::ranges::partition_point(
        all, [&](Hash128 hash) { return util::mulhi(hash.hi, shape.segments) < index; });
  };
  return {begin_of(segment), begin_of(segment + 1)};
}

/// Fills the buckets at `data`. Returns whether all hashes fit, and if so their pairs.
bool fill_all(std::span<const Hash128> hashes, const Shape& shape,
              const util::BuildContext& context, std::byte* data, std::uint64_t& pairs) {
  std::atomic<bool> full{false};
  std::atomic<std::uint64_t> sum{0};
  util::parallel_for(context.threads, shape.segments, [&](std::uint64_t index) {
    if (full.load(std::memory_order_relaxed)) return;
    Segment segment(shape);
    const std::span<const Hash128> own = hashes_of(hashes, shape, index);
    if (own.size() > kSlots * shape.segment_buckets || !segment.fill(own, index)) {
      full.store(true, std::memory_order_relaxed);
      return;
    }
    sum += segment.pairs();
    segment.pack(data + index * (shape.segment_buckets * shape.fingerprints.bucket_bits() / 8));
    context.progress.add(own.size());
  });
  pairs = sum;
  return !full;
}

/// More buckets, if those of the fullest segment are too few for its hashes.
void make_room(std::span<const Hash128> hashes, Shape& shape) {
  std::uint64_t most = 0;
  for (std::uint64_t i = 0; i < shape.segments && shape.segments > 1; ++i) {
    most = std::max<std::uint64_t>(most, hashes_of(hashes, shape, i).size());
  }
  const double needed = std::ceil(static_cast<double>(most) / (kSlots * kSegmentLoad));
  const auto buckets = static_cast<std::uint64_t>(needed);
  // A segment that holds far more than its part is none that more buckets would help.
  if (buckets > shape.segment_buckets && buckets < 2 * kSegmentBuckets) {
    shape.segment_buckets = util::align_up(buckets, 8);
  }
}

}  // namespace
}  // namespace cuckoo

void build_cuckoo(const stream::KeySource& hashes, const FilterOptions& options,
                  const util::BuildContext& context, file::Sink& sink) {
  using namespace cuckoo;
  const std::span<const Hash128> all = hashes.whole(context).hashes;
  Shape shape = choose_shape(hashes.size(), options);
  const double fpr = options.bits ? 1 : asked_fpr(options);
  make_room(all, shape);
  for (unsigned attempt = 0; attempt < kMaxAttempts; ++attempt) {
    context.progress.begin("filter", hashes.size());
    const auto data = std::make_unique_for_overwrite<std::byte[]>(shape.bytes());
    Header header{shape, hashes.size(), 0, capacity_of(shape, fpr)};
    if (fill_all(all, shape, context, data.get(), header.pairs)) {
      sink.append(header.encode());
      sink.append({data.get(), shape.bytes()});
      sink.append(file::Bytes(file::kFieldPadding));
      return;
    }
    const std::uint64_t more = shape.segment_buckets + 1 + shape.segment_buckets / 50;
    shape.segment_buckets = shape.segments > 1 ? util::align_up(more, 8) : more;
    if (shape.segment_buckets > 4 * kSegmentBuckets) break;
  }
  throw Error(ErrorKind::bad_input,
              "the cuckoo filter is full: too many keys have one fingerprint in one place; build "
              "with a lower --fpr, more --bits or another --seed");
}

}  // namespace crivo::filter
