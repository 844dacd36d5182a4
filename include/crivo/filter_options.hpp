// SPDX-License-Identifier: Apache-2.0
/// What a user may ask of a filter.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "crivo/export.hpp"

namespace crivo {

/// Which filter, and how large. Options beyond `type`, `fpr` and `bits` belong to some types only;
/// for another, anything but the default is Error(usage).
struct FilterOptions {
  std::string type = "ribbon";  ///< one of filter_types()
  /// The highest false-positive rate to allow, from 2^-32 to below 1. With neither this nor `bits`:
  /// 1/256.
  std::optional<double> fpr{};
  /// Instead of `fpr`: the bits of a key's fingerprint, a whole number from 1 to 32 (cuckoo: from
  /// 2, semi-sorted from 4; hash-compaction: 2 to 64); for the types that keep none (of the Bloom
  /// family), bits per key.
  std::optional<double> bits{};
  std::uint64_t capacity = 0;  ///< room for so many keys in all, where more are to be added later
  unsigned hashes = 0;         ///< probes of a key; 0: as many as give the lowest rate
  unsigned counter_bits = 4;   ///< of a counter
  unsigned arity = 4;          ///< slots that make up a key's fingerprint
  bool semi_sorted = false;    ///< save a bit a fingerprint by sorting each bucket
};

/// The names that FilterOptions::type may have; the first is the default.
CRIVO_API std::span<const std::string_view> filter_types() noexcept;

}  // namespace crivo
