// SPDX-License-Identifier: Apache-2.0
/// Key sets that are in memory, in one piece.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hashing/hash128.hpp"
#include "stream/hash_source.hpp"
#include "stream/owned_keys.hpp"

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

}  // namespace crivo::stream
