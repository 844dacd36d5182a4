/// The build of partitions of a level's one-bit ribbon.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "coded/prefix_code.hpp"
#include "coded/rows.hpp"
#include "file/bytes.hpp"
#include "util/hash128.hpp"

namespace crivo::coded {

/// The keys of a partition in ascending order, and the codeword of each, of 1 bit at least.
struct PartitionInput {
  std::span<const Hash128> keys;
  std::vector<Codeword> codes;
};

/// A partition's bytes in the file.
struct PartitionImage {
  std::array<std::uint32_t, kLayers> words{};  ///< of 64 slots, of its layers; 0: none
  file::Bytes body;                            ///< the layers' slots, then their thresholds
};

/// Builds up to ribbon::kLanes partitions of a ribbon. An image depends on its own input and the
/// shape alone. Throws Error(bad_input) if the hashes are so unlike random ones that no last layer
/// is found. Memory: 17 bytes a slot beside the input and the images.
std::vector<PartitionImage> build_partitions(std::span<const PartitionInput> inputs,
                                             const Shape& shape);

}  // namespace crivo::coded
