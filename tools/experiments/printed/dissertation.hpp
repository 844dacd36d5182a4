/// The figures that the dissertation prints in its chapter 4, of a Pentium IV of 2.4 GHz with 4 GB
/// of memory; means over 50 runs; times in seconds.
#pragma once

#include <array>
#include <cstdint>

namespace crivo::experiments::printed {

/// Table 4.2, lengths in bytes.
struct KeySetRow {
  std::uint64_t keys;
  std::uint64_t shortest;
  std::uint64_t longest;
  double mean;
};
inline constexpr KeySetRow kVocabulary{10'935'928, 1, 25, 8.52};
inline constexpr KeySetRow kUrls{10'935'928, 7, 493, 57.23};

}  // namespace crivo::experiments::printed
