// SPDX-License-Identifier: Apache-2.0
/// A key and the number or record beside it as one text, which is sorted as the key is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace crivo::input {

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

/// What a key's record is where keys are kept with their values, and no records (hash_texts()).
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
