// SPDX-License-Identifier: Apache-2.0
/// The build of partitions of the partitioned form.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "structures/ribbon/build/band.hpp"
#include "structures/ribbon/build/lock_step.hpp"
#include "structures/ribbon/header.hpp"
#include "structures/ribbon/rows.hpp"

namespace crivo::ribbon {

/// The keys of a partition in ascending order, and the value of each.
template <typename Value>
struct PartitionInput {
  std::span<const Hash128> keys;
  std::vector<Value> values;
};

/// Memory that builds of partitions leave to the next: of one thread at a time.
template <typename Value, const Shape& kShape>
using Bands = std::array<Band<Coefficients<kShape>, Value>, kLanes>;

/// Builds up to kLanes partitions of the set that `header` tells of; returns the bytes of each in
/// the file (formats/ribbon.md: bodies), which depend on its own input and the header alone.
/// `Value` is std::uint8_t, 16, 32 or 64, wide enough for the header's values. Throws
/// Error(bad_input) if the hashes are so unlike random ones that no last layer is found. `kShape`
/// is the header's. Memory: a row and a value a slot beside the input and the bodies.
template <typename Value, const Shape& kShape>
std::vector<base::Bytes> build_partitions(std::span<const PartitionInput<Value>> inputs,
                                          const Header& header, Bands<Value, kShape>& bands);

}  // namespace crivo::ribbon
