/// What a static function is built from, beside its keys.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "crivo/hash.hpp"

namespace crivo::retrieval {

/// Sets values[i] to the value of hashes[i], the key with index `first` + i in the sorted set:
/// below 2^width. Called from several threads at once.
using ValueSource = std::function<void(std::span<const Hash128> hashes, std::uint64_t first,
                                       std::span<std::uint64_t> values)>;

}  // namespace crivo::retrieval
