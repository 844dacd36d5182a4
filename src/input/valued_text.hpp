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

/// What such a text holds beside its key.
struct BesideKey {
  std::uint64_t value = 0;
  std::uint64_t place = 0;  ///< of the key in the input (ChunkNumbers): equal keys are in its order
};

/// What a text takes beside its key: two NULs and two numbers.
inline constexpr std::size_t kBesideKeyBytes = 2 + 2 * sizeof(std::uint64_t);

/// Puts the text in the place of what was in `to`: the key, each NUL with ff behind it; two NULs;
/// the place and the value.
void write_valued_text(std::string_view key, const BesideKey& beside, std::string& to);
/// Takes it apart: puts the key in the place of what was in `key`. Throws Error(corrupt) for what
/// is no such text.
BesideKey read_valued_text(std::string_view text, std::string& key);

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
