/// The build of partitions of the partitioned form.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "structures/ribbon/header.hpp"
#include "structures/ribbon/lock_step.hpp"
#include "structures/ribbon/rows.hpp"

namespace crivo::ribbon {

/// The keys of a partition in ascending order, and the value of each.
template <typename Value>
struct PartitionInput {
  std::span<const Hash128> keys;
  std::vector<Value> values;
};

/// A partition's bytes in the file.
struct PartitionImage {
  std::array<std::uint32_t, kLayers> words{};  ///< of its layers, a 64th of their slots; then zeros
  base::Bytes body;                            ///< the layers' slots, then their thresholds
};

/// Builds up to kLanes partitions of a set that has 2^partition_bits of them, with values of
/// `width` bits. An image depends on its own input alone. `Value` is std::uint8_t, 16, 32 or 64.
/// Throws Error(bad_input) if the hashes are so unlike random ones that no last layer is found.
/// Memory: 8 + sizeof(Value) bytes a slot beside the input and the images.
template <typename Value>
std::vector<PartitionImage> build_partitions(std::span<const PartitionInput<Value>> inputs,
                                             unsigned partition_bits, unsigned width,
                                             Layout layout);

}  // namespace crivo::ribbon
