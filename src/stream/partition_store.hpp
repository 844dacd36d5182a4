// SPDX-License-Identifier: Apache-2.0
/// Hashed keys that stand somewhere by the top bits of their hashes, to be read partition by
/// partition.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace crivo::stream {

/// `HashedKey` is Hash128, or one of hashed_value.hpp. All but release() may be called from any
/// thread.
template <typename HashedKey>
class PartitionStore {
 public:
  virtual ~PartitionStore() = default;

  /// There are 2^partition_bits partitions.
  virtual unsigned partition_bits() const noexcept = 0;
  std::uint64_t partitions() const noexcept { return std::uint64_t{1} << partition_bits(); }

  /// A partition's hashed keys, in any order, with the memory that they are in, unless that is the
  /// store's.
  struct Runs {
    std::vector<std::span<const HashedKey>> all;
    std::shared_ptr<const void> memory;
  };
  /// The runs of a partition, which must die before the store. As often as is asked; cheapest in
  /// passes over all partitions, about in order. Throws Error(io, corrupt).
  virtual Runs read(std::uint64_t partition) const = 0;
  /// Gets some of a partition's hashed keys; false ends it.
  using UsePiece = std::function<bool(std::span<const HashedKey>)>;
  /// Calls use() for all of a partition, however many they are, in little memory and in no order.
  /// Throws Error(io, corrupt).
  virtual void for_each_piece(std::uint64_t partition, const UsePiece& use) const = 0;
  /// Puts a partition's hashed keys, in the order that they are to have, in place of what read()
  /// gives. False, and nothing done, where that cannot be. Not while the partition is read.
  virtual bool reorder(std::uint64_t /*partition*/,
                       std::span<const HashedKey> /*hashed_keys*/) noexcept {
    return false;
  }
  /// Gives back memory that is kept from read() to read().
  virtual void trim() const noexcept {}
  /// Gives all memory back: nothing is read afterwards.
  virtual void release() noexcept {}
};

}  // namespace crivo::stream
