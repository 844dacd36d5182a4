#include "consensus/boundaries.hpp"

#include <algorithm>
#include <limits>

#include "stream/key_slice.hpp"

namespace crivo::consensus {
namespace {

/// Anchors are 8 to 16 buckets apart, so that an estimate's standard deviation is at most an eighth
/// of half a bucket.
unsigned anchor_bits(std::uint64_t keys, unsigned log_keys) noexcept {
  const std::uint64_t spans = keys >> (log_keys + 3);
  return spans == 0 ? 0 : static_cast<unsigned>(std::bit_width(spans)) - 1;
}

std::uint64_t bucket_count(std::uint64_t keys, unsigned log_keys) noexcept {
  return keys >> log_keys;
}

}  // namespace

bool Boundaries::write(std::span<const Hash128> all, unsigned log_keys, file::Sink& sink) {
  const std::uint64_t n = all.size();
  const unsigned step_bits = 16 - log_keys;
  const unsigned bits = anchor_bits(n, log_keys);
  const std::uint64_t spans = std::uint64_t{1} << bits;
  const std::uint64_t step = (n << kAnchorFraction) >> bits;
  file::FieldWriter out;
  std::vector<std::uint64_t> anchors(spans + 1);
  for (std::uint64_t a = 0; a <= spans; ++a) {
    if (a != 0)
      anchors[a] = anchors[a - 1] + stream::KeySlice{all, {}, 0}.partition(bits, a - 1).size();
    const auto off = static_cast<std::int64_t>(anchors[a] - evenly(step, a));
    if (off < std::numeric_limits<std::int32_t>::min() ||
        off > std::numeric_limits<std::int32_t>::max()) {
      return false;
    }
    out.u32(static_cast<std::uint32_t>(off));
  }
  out.align(8);

  const auto place_of = [&](std::uint64_t i) {
    const std::uint64_t span = util::top_bits(all[i].hi, bits);
    return interpolate(all[i].hi, bits, anchors[span], anchors[span + 1], step_bits);
  };
  constexpr std::int64_t kMost = std::numeric_limits<std::int16_t>::max();
  const std::uint64_t buckets = bucket_count(n, log_keys);
  file::FieldWriter exceptions;
  std::uint64_t exception_count = 0;
  for (std::uint64_t b = 0; b <= buckets; ++b) {
    const std::uint64_t first = b << log_keys;
    std::int64_t off = 0;
    if (first == n) {
      off = kMost;  // no estimate comes to it
    } else if (b != 0) {
      const std::uint64_t place = place_of(first);
      off = static_cast<std::int64_t>(place - (b << 16));
      if (off < -kMost || off > kMost) return false;
      if (place_of(first - 1) == place) {
        exceptions.u64(all[first].hi).u64(all[first].lo);
        ++exception_count;
      }
    }
    out.u16(static_cast<std::uint16_t>(off));
  }
  out.align(8);
  out.u64(exception_count);
  sink.append(out.view());
  sink.append(exceptions.view());
  return true;
}

Boundaries::Boundaries(file::FieldReader& reader, std::uint64_t keys, unsigned log_keys)
    : buckets_(bucket_count(keys, log_keys)),
      step_bits_(16 - log_keys),
      anchor_bits_(consensus::anchor_bits(keys, log_keys)),
      anchor_step_((keys << kAnchorFraction) >> anchor_bits_) {
  anchors_ = reader.take(((std::uint64_t{1} << anchor_bits_) + 1) * 4).data();
  reader.align(8);
  thresholds_ = reader.take((buckets_ + 1) * 2).data();
  reader.align(8);
  exception_count_ = reader.u64();
  if (exception_count_ > buckets_) reader.fail("has more exceptions than buckets");
  exceptions_ = reader.take(exception_count_ * 16).data();
}

/// Whether there is an exception of this hash's estimate that the hash is before.
bool Boundaries::precedes(Hash128 hash) const noexcept {
  const auto at = [&](std::uint64_t i) {
    return Hash128{file::load_le<std::uint64_t>(exceptions_ + 16 * i),
                   file::load_le<std::uint64_t>(exceptions_ + 16 * i + 8)};
  };
  std::uint64_t begin = 0;  // the first one after the hash
  for (std::uint64_t end = exception_count_; begin < end;) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    if (hash < at(middle)) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return begin < exception_count_ && estimate(at(begin).hi) == estimate(hash.hi);
}

}  // namespace crivo::consensus
