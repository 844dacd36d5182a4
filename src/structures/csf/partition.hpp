/// The build of partitions of a level's one-bit ribbon.
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

/// The keys of a partition in ascending order, and the codeword of each, of 1 bit at least.
struct PartitionInput {
  std::span<const Hash128> keys;
  std::vector<Codeword> codes;
};

/// A partition's bytes in the file.
struct PartitionImage {
  std::array<std::uint32_t, kLayers> words{};  ///< of 64 slots, of its layers; 0: none
  base::Bytes body;                            ///< the layers' slots, then their thresholds
};

/// Builds up to ribbon::kLanes partitions of a ribbon. An image depends on its own input and the
/// shape alone. Throws Error(bad_input) if the hashes are so unlike random ones that no last layer
/// is found. Memory: 17 bytes a slot beside the input and the images.
std::vector<PartitionImage> build_partitions(std::span<const PartitionInput> inputs,
                                             const Shape& shape);

}  // namespace crivo::csf
