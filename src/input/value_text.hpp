// SPDX-License-Identifier: Apache-2.0
/// The values of a map's input.
#pragma once

#include <cstdint>
#include <string_view>

#include "crivo/value_form.hpp"
#include "input/chunk_reader.hpp"

namespace crivo::input {

/// What a map keeps for the value that stands at `place`: the number itself, or of a signed one
/// bits::zigzag(). Throws InputFault unless it is a number of the form, and takes no more than
/// `bits` bits.
std::uint64_t parse_value(std::string_view text, const ValueForm& form, unsigned bits,
                          const Place& place);

/// The same of the 8 bytes that a KeyWriter wrote, in two's complement if it is signed.
std::uint64_t take_value(std::string_view bytes, const ValueForm& form, unsigned bits,
                         const Place& place);

}  // namespace crivo::input
