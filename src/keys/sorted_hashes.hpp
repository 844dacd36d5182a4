/// What every structure is built from: the hashes of a key set, in ascending order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "util/hash128.hpp"

namespace crivo::keys {

/// Memory for hashes that never moves, in huge pages where the system has them.
class HashArray {
 public:
  HashArray() = default;
  /// Throws Error(io) if the memory cannot be had.
  explicit HashArray(std::uint64_t size);
  /// An array of none, with address space for more hashes than the machine has memory for. Throws
  /// Error(io).
  static HashArray growing();
  ~HashArray();
  HashArray(HashArray&& other) noexcept;
  HashArray& operator=(HashArray&& other) noexcept;
  HashArray(const HashArray&) = delete;
  HashArray& operator=(const HashArray&) = delete;

  Hash128* data() noexcept { return data_; }
  const Hash128* data() const noexcept { return data_; }
  std::uint64_t size() const noexcept { return size_; }

  /// Sets the size of a growing array to `size`, at least what it is, without moving a hash. Throws
  /// Error(io).
  void grow(std::uint64_t size);
  /// Gives back the memory, and the address space, of all but the first `size` hashes.
  void shrink(std::uint64_t size);

 private:
  Hash128* data_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint64_t reserved_bytes_ = 0;
};

/// The distinct hashes of a key set, ascending by (hi, lo). Builders take it partition by
/// partition: partition `index` of 2^bits holds the hashes whose `hi` begins with those bits, so
/// partitions in order are the whole set in order. Immutable, so safe for any number of threads.
class SortedHashes {
 public:
  SortedHashes() = default;
  /// Takes the first `size` hashes of `hashes`, which must be strictly ascending.
  SortedHashes(HashArray hashes, std::uint64_t size);
  /// Sorts `hashes` and drops repeats: for tests and small sets.
  static SortedHashes from_unsorted(std::vector<Hash128> hashes);

  std::uint64_t size() const noexcept { return size_; }
  /// Partition `index` (below 2^bits) for `bits` in [0, 32]. O(log n).
  std::span<const Hash128> partition(unsigned bits, std::uint64_t index) const noexcept;

 private:
  HashArray hashes_;
  std::uint64_t size_ = 0;
};

}  // namespace crivo::keys
