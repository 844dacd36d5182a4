// SPDX-License-Identifier: Apache-2.0
/// The ranks that keys have in the partitions of a function, by which their records are put in
/// order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/spool.hpp"
#include "hashing/hash128.hpp"
#include "stream/hash_source.hpp"
#include "structures/build/assembly.hpp"

namespace crivo::records {

/// The ranks of the keys of a run of hash partitions, which have numbers from 0 in the order of
/// their hashes. 4 bytes a key, in the scratch.
class RankTable {
 public:
  /// A partition, whose ranks count from its first.
  struct Partition {
    std::uint64_t first_key = 0;
    std::uint64_t keys = 0;
    std::uint64_t ranks = 0;
    std::size_t first_segment = 0;
  };
  /// 2^segment_bits ranks of a partition: their keys are among these, counted from its first.
  struct Segment {
    std::uint64_t first_key = UINT64_MAX;
    std::uint64_t end_key = 0;
  };
  /// The keys whose hashes begin with the cell_bits() bits `index`.
  struct Cell {
    std::uint64_t index;
    std::uint64_t first_key;
    std::uint64_t keys;
  };

  /// Begins with `run` of 2^partition_bits partitions, with 2^cell_bits cells in all of them, or as
  /// many as there are partitions if these are more.
  RankTable(base::Scratch* scratch, unsigned partition_bits, const stream::PartitionRun& run,
            unsigned cell_bits, unsigned segment_bits);

  unsigned cell_bits() const noexcept { return cell_bits_; }
  unsigned segment_bits() const noexcept { return segment_bits_; }
  /// The next partition, with these cells. Throws Error(io).
  void add(const PartRanks& ranks);
  /// The only one, of keys that are all bumped.
  void add_bumped(std::span<const Hash128> hashes);
  /// All were added.
  void finish();

  std::span<const Partition> partitions() const noexcept { return partitions_; }
  std::uint64_t keys() const noexcept { return cell_begins_.back(); }
  const Segment& segment(std::size_t index) const noexcept { return segments_[index]; }
  std::uint64_t segments_of(const Partition& partition) const noexcept;
  std::size_t cells() const noexcept { return cell_begins_.size() - 1; }
  Cell cell(std::size_t i) const noexcept {
    return {first_cell_ + i, cell_begins_[i], cell_begins_[i + 1] - cell_begins_[i]};
  }
  /// The number of the cell that key `key` is in.
  std::size_t cell_of(std::uint64_t key) const noexcept;
  /// The ranks of keys from `first_key` on, in their partitions. From any thread. Throws Error(io).
  void read(std::uint64_t first_key, std::vector<std::uint32_t>& ranks) const;

 private:
  unsigned cell_bits_;
  unsigned segment_bits_;
  std::uint64_t first_cell_;
  /// The number of each cell's keys; once finished, the number of the first.
  std::vector<std::uint64_t> cell_begins_;
  std::vector<Partition> partitions_;
  std::vector<Segment> segments_;
  base::Spool spool_;
};

}  // namespace crivo::records
