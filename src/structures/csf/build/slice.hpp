// SPDX-License-Identifier: Apache-2.0
/// The build of slices of a one-bit ribbon.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "structures/csf/prefix_code.hpp"
#include "structures/csf/rows.hpp"

namespace crivo::csf {

/// The keys of a slice in ascending order, with the hashes that they have there, and the codeword
/// of each, of 1 bit at least.
struct SliceInput {
  std::span<const Hash128> keys;
  std::span<const Codeword> codes;
};

/// A slice's bytes in the file.
struct SliceImage {
  std::array<std::uint32_t, kLayers> words{};  ///< of 64 slots, of its layers; 0: none
  base::Bytes body;                            ///< the layers' slots, then their thresholds
};

/// Builds up to ribbon::kLanes slices. An image depends on its own input and the
/// shape alone. Throws Error(bad_input) if the hashes are so unlike random ones that no last layer
/// is found. Memory: 17 bytes a slot beside the input and the images.
std::vector<SliceImage> build_slices(std::span<const SliceInput> inputs, const Shape& shape);

}  // namespace crivo::csf
