// SPDX-License-Identifier: Apache-2.0
/// Key sets that are in memory, in one piece, and how the runs of a partition are brought in order.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hashing/hash128.hpp"
#include "stream/hash_source.hpp"
#include "stream/hashed_value.hpp"
#include "stream/key_slice.hpp"

namespace crivo::stream {

/// Distinct hashes, ascending by (hi, lo), without values or with some. Immutable, so safe for any
/// number of threads.
class KeysInMemory : public HashSource {
 public:
  virtual KeySlice all() const noexcept = 0;

  std::uint64_t size() const noexcept final { return all().size(); }
  unsigned value_bits() const noexcept final;
  KeySlice whole(const base::BuildContext& /*context*/) const final { return all(); }

 private:
  unsigned lease_bits() const noexcept final { return 48; }
  Lease lease(unsigned bits, std::uint64_t index) const final {
    return {all().partition(bits, index), nullptr};
  }
  std::uint64_t keys_of(unsigned bits, std::uint64_t index) const noexcept final {
    return all().partition(bits, index).size();
  }
  unsigned threads_for(unsigned, const PartCost&, unsigned threads) const noexcept final {
    return threads;
  }
};

/// Those that a slice shows, which must outlive this.
class SliceKeys final : public KeysInMemory {
 public:
  explicit SliceKeys(const KeySlice& keys) : keys_{keys.hashes, keys.values, 0} {}
  KeySlice all() const noexcept override { return keys_; }

 private:
  KeySlice keys_;
};

/// Those of a set's own.
class SortedHashes final : public KeysInMemory {
 public:
  SortedHashes() = default;
  /// `hashes` must be ascending, and `values` as many or none.
  explicit SortedHashes(std::vector<Hash128> hashes, std::vector<std::uint64_t> values = {})
      : keys_{std::move(hashes), std::move(values)} {}
  /// `hashes` in order and without repeats, of which three copies are in memory meanwhile: for
  /// tests and small sets. O(n) for hashes that are uniform, O(n log n) for any.
  static SortedHashes from_unsorted(std::span<const Hash128> hashes);

  KeySlice all() const noexcept override { return keys_.slice(); }
  /// Partition `index` (below 2^bits) for `bits` in [0, 63]. O(log n).
  std::span<const Hash128> partition(unsigned bits, std::uint64_t index) const noexcept {
    return all().partition(bits, index).hashes;
  }

 private:
  OwnedKeys keys_;
};

/// Sorts partitions one after another, in memory that it keeps. One thread at a time.
template <typename HashedKey>
class PartitionSort {
 public:
  /// Fills `sorted`, which has as many hashed keys as the runs together and is apart from them, in
  /// ascending order; false if all their hashes differ. The keys' hashes agree in their
  /// first `prefix_bits` bits. O(n) for hashes whose `hi` is uniform after the prefix, O(n log n)
  /// for any. Memory: `sizeof(HashedKey)` and some 3 bytes a hashed key of at most 2^16; above,
  /// `sizeof(HashedKey)` a hashed key and what 2^16 take.
  [[nodiscard]] bool sort(std::span<const std::span<const HashedKey>> runs, unsigned prefix_bits,
                          std::span<HashedKey> sorted);

 private:
  bool sort_small(std::span<const std::span<const HashedKey>> runs, unsigned prefix_bits,
                  std::span<HashedKey> sorted);

  std::vector<std::uint32_t> high_begins_;
  std::vector<std::uint32_t> low_begins_;
  std::vector<HashedKey> by_low_digit_;
  std::vector<std::uint64_t> part_ends_;
  std::vector<HashedKey> parts_;
};

/// Drops all but the first of equal hashes in `sorted` and notes each repeated hash once in
/// `repeated`; returns how many hashed keys are left.
template <typename HashedKey>
std::uint64_t drop_repeats(std::span<HashedKey> sorted, std::vector<Hash128>& repeated);

}  // namespace crivo::stream
