// SPDX-License-Identifier: Apache-2.0
#include "structures/range/table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "structures/bits/packed.hpp"
#include "structures/bits/select.hpp"

namespace crivo::filter::range {
namespace {}  // namespace

double Shape::fpr() const noexcept {
  const double covered = static_cast<double>(n) * static_cast<double>(longest);
  return std::min(
      1.0, covered / std::ldexp(static_cast<double>(starts), static_cast<int>(partition_bits)) +
               std::ldexp(covered, -64));
}

std::uint64_t Group::zero(std::uint64_t before) const noexcept {
  const std::uint64_t limit = kGroupBuckets + size_;
  std::uint64_t word = begin_ / 64;
  std::uint64_t zeros = zeros_of_word(word) & ~std::uint64_t{0} << begin_ % 64;
  std::uint64_t sums = bits::running_ones(zeros);
  while (sums >> 56 <= before) {
    before -= sums >> 56;
    if (++word >= words_) return limit;
    zeros = zeros_of_word(word);
    sums = bits::running_ones(zeros);
  }
  return std::min(limit, word * 64 + bits::select_one(zeros, sums, before) - begin_);
}

std::uint64_t Group::ones_at(std::uint64_t place) const noexcept {
  const std::uint64_t at = begin_ + place;
  std::uint64_t word = at / 64;
  if (word >= words_) return 0;
  std::uint64_t zeros = zeros_of_word(word) & ~std::uint64_t{0} << at % 64;
  while (zeros == 0) {
    if (++word >= words_) return words_ * 64 - at;
    zeros = zeros_of_word(word);
  }
  return word * 64 + static_cast<unsigned>(std::countr_zero(zeros)) - at;
}

KeyRun Group::bucket(std::uint64_t b) const noexcept {
  const std::uint64_t place = b == 0 ? 0 : zero(b - 1) + 1;
  const std::uint64_t begin = std::min(size_, place - std::min(place, b));
  return {begin, std::min(size_, begin + ones_at(place))};
}

std::uint64_t Group::low(std::uint64_t key) const noexcept {
  return bits::load_bits(bits_, begin_ + kGroupBuckets + size_ + key * low_bits_, low_bits_);
}

bool Group::any_low(KeyRun keys, std::uint64_t least, std::uint64_t most) const noexcept {
  constexpr std::uint64_t kFew = 8;  // are looked at one after another
  while (keys.end - keys.begin > kFew) {
    const std::uint64_t middle = keys.begin + (keys.end - keys.begin) / 2;
    if (low(middle) < least) {
      keys.begin = middle + 1;
    } else {
      keys.end = middle + 1;
    }
  }
  for (; keys.begin != keys.end; ++keys.begin) {
    const std::uint64_t found = low(keys.begin);
    if (found >= least) return found <= most;
  }
  return false;
}

Table::Table(base::ByteView section) : section_(section.data()) {
  base::FieldReader r(section, "filter section");
  shape_.n = r.u64();
  shape_.starts = r.u64();
  shape_.longest = r.u64();
  shape_.partition_bits = r.u8();
  shape_.low_bits = r.u8();
  r.align(kHeaderBytes);
  if (shape_.partition_bits > kMaxPartitionBits || shape_.low_bits > kMaxLowBits ||
      shape_.starts == 0 || shape_.starts > std::uint64_t{1} << kMaxCodeBits) {
    r.fail("has numbers of codes that cannot be");
  }
  if (shape_.longest == 0 || shape_.longest > kMaxLongest) r.fail("has no sound range");
  const std::uint64_t partitions = std::uint64_t{1} << shape_.partition_bits;
  const std::uint64_t left = r.remaining() / 8;  // words
  if (r.remaining() % 8 != 0 || left < partitions || shape_.groups() > left ||
      shape_.body_bytes(0) / 8 > (left - partitions) >> shape_.partition_bits) {
    r.fail("is too short for its partitions");
  }
  r.unused(8 * (left - partitions));
  begins_ = section.data() + r.position();
  const std::uint64_t end = r.position();
  std::uint64_t next = kHeaderBytes;  // the least place of the next body
  for (std::uint64_t p = 0; p != partitions; ++p) {
    const std::uint64_t begin = r.u64();
    if (begin % 8 != 0 || begin < next || begin > end || end - begin < shape_.body_bytes(0)) {
      r.fail("has partitions that begin where they cannot");
    }
    next = begin + shape_.body_bytes(0);
  }
  r.expect_end();
}

bool Table::any(Hash128 first, std::uint64_t last) const noexcept {
  const base::ByteView body = this->body(shape_.partition_of(first));
  const std::uint64_t least = shape_.code_of(first);
  const std::uint64_t most = shape_.code_of({first.hi, last});
  const std::uint64_t low_mask = (std::uint64_t{1} << shape_.low_bits) - 1;
  const std::uint64_t first_bucket = least >> shape_.low_bits;
  const std::uint64_t last_bucket = most >> shape_.low_bits;
  for (std::uint64_t g = first_bucket / kGroupBuckets; g <= last_bucket / kGroupBuckets; ++g) {
    const Group group(shape_, body, g);
    if (!group.is_sound()) return true;
    if (group.size() == 0) continue;
    group.prefetch_low(first_bucket % kGroupBuckets);
    KeyRun between{0, group.size()};  // the first and the last bucket
    if (g == first_bucket / kGroupBuckets) {
      const KeyRun keys = group.bucket(first_bucket % kGroupBuckets);
      if (first_bucket == last_bucket)
        return group.any_low(keys, least & low_mask, most & low_mask);
      if (!keys.empty() && group.low(keys.end - 1) >= (least & low_mask)) return true;
      between.begin = keys.end;
    }
    if (g == last_bucket / kGroupBuckets) {
      const KeyRun keys = group.bucket(last_bucket % kGroupBuckets);
      if (!keys.empty() && group.low(keys.begin) <= (most & low_mask)) return true;
      between.end = keys.begin;
    }
    if (!between.empty()) return true;
  }
  return false;
}

}  // namespace crivo::filter::range
