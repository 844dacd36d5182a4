// SPDX-License-Identifier: Apache-2.0
/// Values of keys as texts: their numbers, and a key and its number or record as one text, which is
/// sorted as the key is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "crivo/value_form.hpp"
#include "input/units.hpp"

namespace crivo::input {

/// Returns what a map keeps for the value that stands at `place`: the number itself, or of a signed
/// one base::zigzag(). Throws InputFault unless it is a number of the form, and takes no more than
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

/// The value of a key, and which of equal keys comes first.
struct TextValue {
  std::uint64_t value = 0;
  std::uint64_t place = 0;  ///< of the key in the input (ChunkNumbers): equal keys are in its order
};

/// The bytes that a text takes for it: two NULs and two numbers.
inline constexpr std::size_t kTextValueBytes = 2 + 2 * sizeof(std::uint64_t);

/// Puts the text in the place of what was in `to`: the key, each NUL with ff behind it; two NULs;
/// its place and value.
void write_valued_text(std::string_view key, const TextValue& value, std::string& to);
/// Takes it apart: puts the key in the place of what was in `key`. Throws Error(corrupt) for what
/// is no such text.
TextValue read_valued_text(std::string_view text, std::string& key);

/// The same of a key alone, for who appends what stands behind it.
void begin_text(std::string_view key, std::string& to);
/// Puts the key in the place of what was in `key`; returns what was appended, which stands in
/// `text`.
std::string_view read_begun_text(std::string_view text, std::string& key);

/// The record of a key that is kept with its value, where there are no records (hash_texts()).
class TextRecord {
 public:
  explicit TextRecord(std::uint64_t value) noexcept { base::store_le(bytes_.data(), value); }
  std::string_view view() const noexcept { return base::as_text(bytes_); }
  /// The value of such a record. Throws Error(corrupt) for what is none.
  static std::uint64_t value_of(std::string_view record);

 private:
  std::array<std::byte, sizeof(std::uint64_t)> bytes_;
};

}  // namespace crivo::input
