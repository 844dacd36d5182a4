// SPDX-License-Identifier: Apache-2.0
/// The filter of a level: which keys do not surely have the level's dominant value.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "structures/csf/code_ribbon.hpp"
#include "structures/csf/section.hpp"

namespace crivo::csf {

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
