/// The build of partitions of a level's one-bit ribbon.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "coded/prefix_code.hpp"
#include "coded/rows.hpp"
#include "crivo/hash.hpp"
#include "file/bytes.hpp"

namespace crivo::coded {

/// The keys of a partition in ascending order, and the codeword of each, of 1 bit at least.
struct PartitionInput {
  std::span<const Hash128> keys;
  std::vector<Codeword> codes;
};

/// A partition's bytes in the file.
struct PartitionImage {
  std::array<std::uint64_t, kLayers> slots{};  ///< of its layers, multiples of 64; 0: none
  file::Bytes body;                            ///< the layers' slots, then their thresholds
};

/// Partitions that one call builds in lock step.
inline constexpr unsigned kLanes = 4;

/// 2^result partitions for a level with so many bits of codewords: 2^20.5 of them in the mean.
constexpr unsigned partition_bits(std::uint64_t code_bits) noexcept {
  unsigned bits = 0;
  while ((code_bits >> bits) > 1'482'910 && bits < 32) ++bits;
  return bits;
}

/// Builds up to kLanes partitions of a level that has 2^partition_bits of them and a longest
/// codeword of `code_bits` bits. An image depends on its own input alone. Throws Error(bad_input)
/// if the hashes are so unlike random ones that no last layer is found. Memory: 17 bytes a slot
/// beside the input and the images.
std::vector<PartitionImage> build_partitions(std::span<const PartitionInput> inputs,
                                             unsigned partition_bits, unsigned code_bits);

}  // namespace crivo::coded
