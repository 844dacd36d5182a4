// SPDX-License-Identifier: Apache-2.0
#include "structures/exact/groups.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/arithmetic.hpp"

namespace crivo::exact {
namespace {

constexpr std::uint64_t kHeaderBytes = 64;
constexpr std::uint64_t kMostGroups = std::uint64_t{1} << 48;
/// The first bits by which groups are found at most: half a megabyte.
constexpr unsigned kMostBeginBits = 16;

}  // namespace

Groups::Groups(const base::CheckedBytes& section) {
  base::FieldReader fields(section, "section of groups");
  const unsigned grouped = fields.u8();
  if (grouped > 1) fields.fail("is neither with groups nor without");
  totals_.grouped = grouped == 1;
  fields.zeros(7);
  totals_.members = fields.u64();
  totals_.universe = fields.u64();
  totals_.passing = fields.u64();
  count_ = fields.u64();
  fields.align(kHeaderBytes);
  if (count_ > kMostGroups || (!totals_.grouped && count_ != 1))
    fields.fail("has an impossible number of groups");
  hashes_ = fields.take_touched(totals_.grouped ? 8 * count_ : 0).data();
  kinds_ = fields.take_touched(count_).data();
  fields.expect_end();
  for (std::uint64_t i = 0; i < count_; ++i) {
    if (!is_class(static_cast<unsigned>(kind(i)))) fields.fail("has an unknown class of a group");
    if (totals_.grouped && i != 0 && hash(i - 1) >= hash(i))
      fields.fail("has groups that do not ascend");
  }
  if (totals_.grouped) list_begins();
}

void Groups::list_begins() {
  begin_bits_ = std::min(static_cast<unsigned>(std::bit_width(count_)), kMostBeginBits);
  begins_.assign((std::size_t{1} << begin_bits_) + 1, 0);
  for (std::uint64_t i = 0; i < count_; ++i) ++begins_[base::top_bits(hash(i), begin_bits_) + 1];
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
}

std::optional<std::uint64_t> Groups::number_of(std::uint64_t hash) const noexcept {
  if (!totals_.grouped) return 0;
  const std::uint64_t bucket = base::top_bits(hash, begin_bits_);
  std::uint64_t low = begins_[bucket];       // all before it are less
  std::uint64_t high = begins_[bucket + 1];  // all from it on are not
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (this->hash(middle) < hash) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low >= count_ || this->hash(low) != hash) return std::nullopt;
  return low;
}

}  // namespace crivo::exact
