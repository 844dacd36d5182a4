// SPDX-License-Identifier: Apache-2.0
/// The keys of a directory, read from the pieces of its files wherever they are wanted.
#pragma once

#include <cstdint>
#include <vector>

#include "base/idle_pool.hpp"
#include "shards/key_directory.hpp"
#include "shards/shard_keys.hpp"
#include "stream/key_stream.hpp"
#include "stream/partition_store.hpp"

namespace crivo::index {

/// A value as the whole directory has it.
std::uint64_t whole_value(const KeyDirectory& directory, std::size_t file, std::uint64_t value);

/// The keys of the largest of the partitions that a PieceStore of all hashes has.
std::uint64_t largest_partition(const KeyDirectory& directory);

/// Those of a range of hashes, in as many partitions as the file of fewest pieces has. No key is
/// written anew: of a file whose pieces are in order not even one is sorted.
template <typename Element>
class PieceStore final : public stream::PartitionStore<Element> {
 public:
  using typename stream::PartitionStore<Element>::Runs;
  using typename stream::PartitionStore<Element>::UsePiece;

  /// `directory` must outlive this. Counts, which reads the pieces at the ends of the range. Throws
  /// Error(corrupt, io).
  PieceStore(const KeyDirectory& directory, const HashRange& range);

  unsigned partition_bits() const noexcept override { return bits_; }
  /// Throws Error(corrupt) also for a value that is larger than the totals say.
  Runs read(std::uint64_t partition) const override;
  void for_each_piece(std::uint64_t partition, const UsePiece& use) const override;
  void trim() const noexcept override { rooms_.clear(); }

  const stream::Totals& totals() const noexcept { return totals_; }

  static Element element(Hash128 hash, std::size_t file, std::uint64_t value) noexcept;

 private:
  using Room = std::vector<Element>;

  /// Calls visit(element) for those of a file that are in a partition and the range.
  template <typename Visit>
  void for_each_in(std::size_t file, std::uint64_t partition, const Visit& visit) const;
  std::uint64_t count(std::size_t file, std::uint64_t partition) const;
  bool is_in_range(std::uint64_t partition) const noexcept;

  const KeyDirectory& directory_;
  HashRange range_;
  unsigned bits_;
  std::uint64_t most_value_;  ///< of a finished directory
  stream::Totals totals_;
  mutable base::IdlePool<Room> rooms_;
};

}  // namespace crivo::index
