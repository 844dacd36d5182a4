// SPDX-License-Identifier: Apache-2.0
/// Looks up codewords in a one-bit ribbon, and asks the filter of a level: which keys do not surely
/// have the level's dominant value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/page_checks.hpp"
#include "hashing/hash128.hpp"
#include "structures/csf/rows.hpp"
#include "structures/csf/section.hpp"

namespace crivo::csf {

/// Where a key's rows lie.
struct Place {
  const std::byte* bytes;  ///< of the first row's first slot; 24 can be read
  unsigned shift;          ///< that slot's bit
  Coefficients coefficients;
};

/// Sets bits[i] to the values of 32 rows from places[i], the first one's in the lowest bit. Those
/// beyond the longest codeword are of no meaning.
using ReadBits = void (*)(const Place* places, std::size_t count, std::uint32_t* bits);

/// Plain C++.
void read_bits_portable(const Place* places, std::size_t count, std::uint32_t* bits);
#if defined(__x86_64__)
/// For processors with PCLMULQDQ.
void read_bits_product(const Place* places, std::size_t count, std::uint32_t* bits);
#endif

/// The fastest that this process may run.
ReadBits read_bits();

/// Over mapped bytes that must outlive it. Whatever they hold, no byte outside them is read.
class CodeRibbon {
 public:
  /// The keys that one call can look up.
  static constexpr std::size_t kBatch = 32;

  /// Without partitions yet.
  explicit CodeRibbon(const Shape& shape);
  /// Adds the slices of the next partition, whose layers `table` has next, and `bodies` their
  /// bytes, after which at least 8 more can be read. Throws Error(corrupt) if it is unsound. If the
  /// bodies have checks, lookups touch what they read.
  void add(base::FieldReader& table, base::FieldReader& bodies);

  /// The key's codeword, in the lowest bits; what is above it means nothing. Its partition is
  /// there.
  std::uint32_t bits(const LocalKey& key) const noexcept {
    const Place place = find(key);
    std::uint32_t result;
    read_bits_(&place, 1, &result);
    return result;
  }
  /// results[i] = bits(keys[i]) for up to kBatch keys, with the cache misses overlapped.
  void bits(std::span<const LocalKey> keys, std::uint32_t* results) const noexcept;

 private:
  struct Layer {
    std::uint64_t starts;         // 0: there is no such layer
    const std::byte* slots;       // a bit each
    const std::byte* thresholds;  // two bits a bucket
  };

  Place find(const LocalKey& key) const noexcept;

  ReadBits read_bits_;
  Shape shape_;
  std::array<std::uint16_t, 4> thresholds_;
  base::Pages pages_;
  std::vector<std::array<Layer, kLayers>> slices_;
};

/// A ribbon in which each key of the filter has its fingerprint as codeword.
class LevelFilter {
 public:
  /// The filter of level `index`, whose partitions are still to be added.
  LevelFilter(const Shape& shape, unsigned index)
      : ribbon_(shape), width_(shape.code_bits), index_(index) {}
  /// As CodeRibbon::add().
  void add(base::FieldReader& table, base::FieldReader& bodies) { ribbon_.add(table, bodies); }

  /// True for every key of the filter, and for one in 2^shape.code_bits of the others.
  bool reports(const LocalKey& key) const noexcept { return matches(key.hash, ribbon_.bits(key)); }

  /// answers[i] = reports(keys[i]) for up to CodeRibbon::kBatch keys.
  void reports(std::span<const LocalKey> keys, bool* answers) const noexcept {
    std::array<std::uint32_t, CodeRibbon::kBatch> bits;
    ribbon_.bits(keys, bits.data());
    for (std::size_t i = 0; i < keys.size(); ++i) answers[i] = matches(keys[i].hash, bits[i]);
  }

 private:
  bool matches(Hash128 hash, std::uint32_t bits) const noexcept {
    return (bits & ((1U << width_) - 1)) == fingerprint(hash, index_, width_);
  }

  CodeRibbon ribbon_;
  unsigned width_;
  unsigned index_;
};

}  // namespace crivo::csf
