// SPDX-License-Identifier: Apache-2.0
#include "structures/bumped_ranks.hpp"

#include <algorithm>

namespace crivo {
namespace {

constexpr unsigned kBumpedBlockBits = 16;

constexpr std::uint64_t blocks_of(std::uint64_t n) noexcept {
  return (n >> kBumpedBlockBits) + 1;
}

}  // namespace

BumpedRanks::BumpedRanks(base::FieldReader& fields, std::uint64_t n, std::uint64_t count)
    : pages_(fields.checks()), count_(count) {
  if (blocks_of(n) >= fields.remaining() / sizeof(std::uint64_t))
    fields.fail("they end before they begin");
  begins_ = fields.take((blocks_of(n) + 1) * sizeof(std::uint64_t)).data();
  if (count > fields.remaining() / sizeof(std::uint16_t)) fields.fail("there are too few");
  low_ranks_ = fields.take(count * sizeof(std::uint16_t)).data();
}

std::uint64_t BumpedRanks::find(std::uint64_t rank) const noexcept {
  const auto begin_of = [&](std::uint64_t block) {
    return std::min(base::load_le<std::uint64_t>(begins_ + 8 * block), count_);
  };
  pages_.touch(begins_ + 8 * (rank >> kBumpedBlockBits), 16);
  const std::uint64_t low_rank = rank & ((1U << kBumpedBlockBits) - 1);
  std::uint64_t begin = begin_of(rank >> kBumpedBlockBits);
  const std::uint64_t last = begin_of((rank >> kBumpedBlockBits) + 1);
  std::uint64_t end = last;
  while (begin < end) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    pages_.touch(low_ranks_ + 2 * middle, 2);
    if (base::load_le<std::uint16_t>(low_ranks_ + 2 * middle) < low_rank) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  if (begin < last) pages_.touch(low_ranks_ + 2 * begin, 2);
  const bool found =
      begin < last && base::load_le<std::uint16_t>(low_ranks_ + 2 * begin) == low_rank;
  return found ? begin : count_;
}

BumpedRanks::Writer::Writer(std::uint64_t n, base::Scratch* scratch)
    : blocks_(blocks_of(n)), begins_(scratch), low_ranks_(scratch) {}

/// Those below `end` that are not begun yet: all bumped keys that there are stand before them.
void BumpedRanks::Writer::begin_blocks(std::uint64_t end) {
  const base::Bytes before = base::FieldWriter().u64(count()).take();
  for (; begun_ < end; ++begun_) begins_.append(before);
}

void BumpedRanks::Writer::add(std::uint64_t rank) {
  begin_blocks((rank >> kBumpedBlockBits) + 1);
  low_ranks_.append(base::FieldWriter().u16(static_cast<std::uint16_t>(rank)).take());
}

void BumpedRanks::Writer::finish(base::Sink& sink) {
  begin_blocks(blocks_ + 1);
  for (const base::Spool* const spool : {&begins_, &low_ranks_})
    spool->for_each([&](base::ByteView some) { sink.append(some); });
}

}  // namespace crivo
