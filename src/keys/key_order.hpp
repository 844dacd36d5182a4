/// The order in which distinct keys stand in their input.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "keys/hash_keys.hpp"

namespace crivo::keys {

/// The place of each of n keys among them, from 0, in the order of the input; of a key that is
/// there more than once, the first time counts. Immutable; safe for any number of threads.
class KeyOrder {
 public:
  /// Of what hash_numbered_keys() returned, which must outlive it. O(keys read), and two bits
  /// of memory for each, if some were left out; otherwise O(1).
  explicit KeyOrder(const HashedKeys& numbered);

  /// Sets `places` to those of the sorted hashes from the one with index `first` on.
  void copy(std::uint64_t first, std::span<std::uint64_t> places) const noexcept;

 private:
  const SortedValues* numbers_;
  std::vector<std::uint64_t> kept_;    ///< a bit for each key read; empty if all were kept
  std::vector<std::uint64_t> before_;  ///< the keys kept before each word of them
};

}  // namespace crivo::keys
