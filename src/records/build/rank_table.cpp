// SPDX-License-Identifier: Apache-2.0
#include "records/build/rank_table.hpp"

#include <algorithm>
#include <utility>

#include "base/arithmetic.hpp"

namespace crivo::records {

RankTable::RankTable(base::Scratch* scratch, unsigned partition_bits,
                     const stream::PartitionRun& run, unsigned cell_bits, unsigned segment_bits)
    : cell_bits_(std::max(cell_bits, partition_bits)),
      segment_bits_(segment_bits),
      first_cell_(run.begin << (cell_bits_ - partition_bits)),
      spool_(scratch) {
  cell_begins_.reserve((run.size() << (cell_bits_ - partition_bits)) + 1);
}

void RankTable::add(const PartRanks& ranks) {
  Partition partition;
  partition.keys = ranks.of_keys.size();
  partition.ranks = ranks.count;
  partition.first_segment = segments_.size();
  if (!partitions_.empty())
    partition.first_key = partitions_.back().first_key + partitions_.back().keys;
  segments_.resize(segments_.size() + segments_of(partition));
  Segment* const segments = segments_.data() + partition.first_segment;
  for (std::uint64_t key = 0; key < partition.keys; ++key) {
    const std::uint32_t rank = ranks.of_keys[key];
    if (rank == PartRanks::kBumped) continue;
    Segment& segment = segments[rank >> segment_bits_];
    segment.first_key = std::min(segment.first_key, key);
    segment.end_key = key + 1;
  }
  partitions_.push_back(partition);
  spool_.append(std::as_bytes(std::span(ranks.of_keys)));
  cell_begins_.insert(cell_begins_.end(), ranks.cell_keys.begin(), ranks.cell_keys.end());
}

void RankTable::add_bumped(std::span<const Hash128> hashes) {
  const std::vector<std::uint32_t> some(1 << 16, PartRanks::kBumped);
  Partition partition;
  partition.keys = hashes.size();
  partitions_.push_back(partition);
  for (std::uint64_t left = hashes.size(); left != 0;) {
    const auto next = std::span(some).first(std::min<std::uint64_t>(left, some.size()));
    spool_.append(std::as_bytes(next));
    left -= next.size();
  }
  cell_begins_.resize(std::size_t{1} << cell_bits_);
  for (const Hash128& hash : hashes) ++cell_begins_[base::top_bits(hash.hi, cell_bits_)];
}

void RankTable::finish() {
  std::uint64_t before = 0;
  cell_begins_.push_back(0);
  for (std::uint64_t& begin : cell_begins_) before += std::exchange(begin, before);
}

std::uint64_t RankTable::segments_of(const Partition& partition) const noexcept {
  return (partition.ranks + (std::uint64_t{1} << segment_bits_) - 1) >> segment_bits_;
}

std::size_t RankTable::cell_of(std::uint64_t key) const noexcept {
  const auto after = std::ranges::upper_bound(cell_begins_, key);
  return static_cast<std::size_t>(after - cell_begins_.begin()) - 1;
}

void RankTable::read(std::uint64_t first_key, std::vector<std::uint32_t>& ranks) const {
  spool_.read(first_key * sizeof(std::uint32_t), std::as_writable_bytes(std::span(ranks)));
}

}  // namespace crivo::records
