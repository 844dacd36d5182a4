// SPDX-License-Identifier: Apache-2.0
/// The values of a map's input.
#pragma once

#include <cstdint>
#include <string_view>

#include "crivo/value_form.hpp"
#include "input/units.hpp"

namespace crivo::input {

/// What a map keeps for the value that stands at `place`: the number itself, or of a signed one
/// base::zigzag(). Throws InputFault unless it is a number of the form, and takes no more than
/// `bits` bits.
std::uint64_t parse_value(std::string_view text, const ValueForm& form, unsigned bits,
                          const Place& place);

/// The same of the 1 to 8 bytes that a KeyWriter wrote, the lowest first, in two's complement if it
/// is signed.
std::uint64_t take_value(std::string_view bytes, const ValueForm& form, unsigned bits,
                         const Place& place);

/// Throws Error(usage) for a format of keys and values that has no place for these.
void check_value_format(const KeyFormat& format);

/// Calls visit(key, value, index, offset) for each key-and-value pair of a chunk.
template <typename Visit>
void for_each_value(const Chunk& chunk, const KeyFormat& format, const ValueForm& form,
                    unsigned bits, Visit&& visit) {
  const bool holds_numbers = format.framing == KeyFormat::Framing::counted && !format.text_values;
  for_each_record(
      chunk, format,
      [&](std::string_view key, std::string_view text, std::uint64_t index, std::size_t offset) {
        const Place place = place_in(chunk, index, offset);
        visit(key,
              holds_numbers ? take_value(text, form, bits, place)
                            : parse_value(text, form, bits, place),
              index, offset);
      },
      "value");
}

/// The same, or of each key alone, with the value 0.
template <typename Visit>
void for_each_unit(const Chunk& chunk, const KeyFormat& format, bool pairs, const ValueForm& form,
                   const Visit& visit) {
  if (pairs) return for_each_value(chunk, format, form, 64, visit);
  for_each_key(chunk, format, [&](std::string_view key, std::uint64_t index, std::size_t offset) {
    visit(key, std::uint64_t{0}, index, offset);
  });
}

}  // namespace crivo::input
