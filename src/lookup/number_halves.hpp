// SPDX-License-Identifier: Apache-2.0
/// First halves of the hashes of many numbers.
#pragma once

#include <cstdint>
#include <span>

namespace crivo::index {

/// halves[i] = detail::first_half(numbers[i], seed), several at a time where the processor can.
void first_halves(std::span<const std::uint64_t> numbers, std::uint64_t seed,
                  std::uint64_t* halves) noexcept;

}  // namespace crivo::index
