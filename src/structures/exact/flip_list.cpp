// SPDX-License-Identifier: Apache-2.0
#include "structures/exact/flip_list.hpp"

#include <algorithm>
#include <string>

#include "crivo/error.hpp"

namespace crivo::exact {
namespace {

constexpr std::uint64_t kMostLists = 1 << 20;
constexpr std::uint64_t kMostKnownGroups = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostFlips = std::uint64_t{1} << 32;
constexpr unsigned kOfFilter = 2;

hashing::Sha256Value take_hash(base::FieldReader& fields) {
  hashing::Sha256Value value;
  std::ranges::copy(fields.take(value.size()), value.begin());
  return value;
}

}  // namespace

std::uint64_t Delta::flips() const noexcept {
  std::uint64_t sum = 0;
  for (const FlipList& list : lists) sum += list.flips;
  return sum;
}

std::uint64_t Delta::groups_after() const noexcept {
  std::uint64_t sum = groups;
  for (const FlipList& list : lists) sum += list.added_groups();
  return sum;
}

hashing::Sha256Value state_after(const hashing::Sha256Value& before,
                                 const hashing::Sha256Value& root) {
  return hashing::Sha256().add(before).add(root).value();
}

hashing::Sha256Value Delta::after(const hashing::Sha256Value& root) const {
  if (joined.empty()) return state_after(before, root);
  hashing::Sha256Value state = before;
  for (const hashing::Sha256Value& one : joined) state = state_after(state, one);
  return state;
}

base::Bytes encode_delta(const Delta& delta) {
  base::FieldWriter out;
  out.bytes(delta.base).bytes(delta.before).u64(delta.number).u64(delta.lists.size());
  out.u8(delta.of_filter ? kOfFilter : delta.grouped ? 1 : 0).zeros(7).u64(delta.groups);
  for (const hashing::Sha256Value& root : delta.joined) out.bytes(root);
  for (const FlipList& list : delta.lists) {
    out.u64(list.flips).u64(list.members).u64(list.universe).u64(list.listed);
    out.u64(list.added_groups()).u64(list.bits.size());
  }
  for (const FlipList& list : delta.lists) out.bytes(list.added).bytes(list.bits);
  return out.take();
}

Delta decode_delta(base::ByteView section) {
  base::FieldReader fields(section, "section of flips");
  Delta delta;
  delta.base = take_hash(fields);
  delta.before = take_hash(fields);
  delta.number = fields.u64();
  const std::uint64_t lists = fields.u64();
  const unsigned grouped = fields.u8();
  if (grouped > kOfFilter) fields.fail("is neither with groups nor without, nor of a filter");
  delta.of_filter = grouped == kOfFilter;
  delta.grouped = grouped == 1;
  fields.zeros(7);
  delta.groups = fields.u64();
  if (lists == 0 || lists > kMostLists || 48 * lists > fields.remaining())
    fields.fail("has an impossible number of lists");
  if (delta.number == 0 || delta.number > UINT64_MAX - lists)
    fields.fail("the number of its delta is impossible");
  if (delta.groups > kMostKnownGroups || (!delta.grouped && delta.groups != 1))
    fields.fail("has an impossible number of groups");
  for (std::uint64_t i = 0; lists > 1 && i < lists; ++i) delta.joined.push_back(take_hash(fields));
  struct Lengths {
    std::uint64_t added;
    std::uint64_t bits;
  };
  std::vector<Lengths> lengths;
  std::uint64_t flips = 0;
  for (std::uint64_t i = 0; i < lists; ++i) {
    FlipList list{.flips = fields.u64(), .members = fields.u64(), .universe = fields.u64()};
    list.listed = fields.u64();
    const std::uint64_t added = fields.u64();
    const std::uint64_t bytes = fields.u64();
    if (added > section.size() / 8 || bytes > section.size())
      fields.fail("has a list that is longer than it is");
    // Each flip takes a bit or more, each group eight.
    if (list.flips > 8 * bytes || list.listed > bytes || list.listed > list.flips)
      fields.fail("has more flips than bits");
    if (!delta.grouped && (added != 0 || list.listed > 1))
      fields.fail("has groups where there are none");
    if ((list.listed == 0) != (list.flips == 0)) fields.fail("has flips without a group");
    if (delta.of_filter && (bytes != 0 || list.universe != 0)) fields.fail("has flips of a filter");
    flips += list.flips;
    delta.lists.push_back(list);
    lengths.push_back({added, bytes});
  }
  if (flips > kMostFlips) fields.fail("has too many flips");
  for (std::uint64_t i = 0; i < lists; ++i) {
    FlipList& list = delta.lists[i];
    list.added = fields.take(8 * lengths[i].added);
    list.bits = fields.take(lengths[i].bits);
    for (std::uint64_t group = 1; group < list.added_groups(); ++group) {
      if (list.added_group(group - 1) >= list.added_group(group))
        fields.fail("has groups that do not ascend");
    }
  }
  fields.expect_end();
  if (delta.groups_after() > kMostKnownGroups) fields.fail("has an impossible number of groups");
  return delta;
}

void FlipReader::fail(const char* problem) {
  throw Error(ErrorKind::corrupt, std::string("damaged: a list of flips: ") + problem);
}

FlipReader::FlipReader(const FlipList& list, std::uint64_t groups) : bits_(list.bits) {
  const std::uint64_t known = groups + list.added_groups();
  std::uint64_t next = 0;
  std::uint64_t flips = 0;
  groups_.reserve(list.listed);
  for (std::uint64_t i = 0; i < list.listed; ++i) {
    const std::uint64_t gap = take_gamma();
    if (gap > known || next + gap > known) fail("a group that does not exist");
    next += gap;
    FlipGroup group{.number = next - 1, .flips = take_gamma()};
    group.cell_bits = static_cast<unsigned>(take(6));
    if (group.cell_bits > kMostCellBits) fail("too many cells");
    if (group.flips > list.flips - flips) fail("groups of more flips than it has");
    flips += group.flips;
    groups_.push_back(group);
  }
  if (flips != list.flips) fail("groups of fewer flips than it has");
}

void FlipReader::take_widths() {
  if (groups_.empty()) return;
  least_tag_bits_ = static_cast<unsigned>(take(4));
  salt_rice_ = static_cast<unsigned>(take(5));
}

void FlipReader::take_block(Flip& flip) {
  const std::uint64_t bits = least_tag_bits_ + take_zeros();
  if (bits > kMostTagBits) fail("tags that are too long");
  flip.tag_bits = static_cast<std::uint8_t>(bits);
  const std::uint64_t quotient = take_zeros();
  if (quotient > kMostSalt >> salt_rice_) fail("a salt that is too large");
  const std::uint64_t salt = quotient << salt_rice_ | take(salt_rice_);
  if (salt > kMostSalt) fail("a salt that is too large");
  flip.salt = static_cast<std::uint32_t>(salt);
}

std::uint64_t FlipReader::peek_last() const noexcept {
  std::uint64_t word = 0;
  const std::uint64_t first = at_ / 8;
  for (std::uint64_t byte = first; byte < bits_.size(); ++byte)
    word |= std::to_integer<std::uint64_t>(bits_[byte]) << (8 * (byte - first));
  return word >> (at_ % 8);
}

std::uint64_t FlipReader::take_gamma() {
  const std::uint64_t bits = take_zeros();
  if (bits > kMostCellBits) fail("a number that is too large");
  return std::uint64_t{1} << bits | take(static_cast<unsigned>(bits));
}

void FlipReader::expect_end() const {
  if (8 * bits_.size() - at_ >= 8 || peek_last() != 0) fail("bits behind its end");
}

}  // namespace crivo::exact
