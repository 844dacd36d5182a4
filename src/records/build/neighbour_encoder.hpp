// SPDX-License-Identifier: Apache-2.0
/// The builder's half of the codec `neighbours`: see records/neighbours.hpp.
#pragma once

#include <memory>

#include "base/bytes.hpp"
#include "records/build/encoding.hpp"

namespace crivo::records {

/// The bytes of blocks that a dictionary of the codec is trained on, at most.
inline constexpr std::uint64_t kNeighbourSample = std::uint64_t{4} << 20;

/// See CodecBuilder::train: of blocks of records without keys, in the order of keys.
base::Bytes train_neighbours(const UnitSample& sample, double share);

/// See CodecBuilder::open.
std::unique_ptr<const Encoding> open_neighbour_encoding(base::ByteView dictionary);

}  // namespace crivo::records
