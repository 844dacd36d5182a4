// SPDX-License-Identifier: Apache-2.0
/// The bits that a codeword may have, computed from where its rows lie: hand-written kernels beside
/// the portable one, all of the same answers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "structures/csf/rows.hpp"

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

}  // namespace crivo::csf
