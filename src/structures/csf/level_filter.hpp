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
  /// The filter of level `index` in these bytes, as CodeRibbon takes them.
  LevelFilter(const Shape& shape, unsigned index, base::ByteView bytes)
      : ribbon_(shape, bytes), width_(shape.code_bits), index_(index) {}

  /// True for every key of the filter, and for one in 2^shape.code_bits of the others.
  bool reports(Hash128 hash) const noexcept { return matches(hash, ribbon_.bits(hash)); }

  /// answers[i] = reports(hashes[i]) for up to CodeRibbon::kBatch keys.
  void reports(std::span<const Hash128> hashes, bool* answers) const noexcept {
    std::array<std::uint32_t, CodeRibbon::kBatch> bits;
    ribbon_.bits(hashes, bits.data());
    for (std::size_t i = 0; i < hashes.size(); ++i) answers[i] = matches(hashes[i], bits[i]);
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
