// SPDX-License-Identifier: Apache-2.0
/// A text that is sought in a dictionary.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "structures/dictionary/token_table.hpp"

namespace crivo::dictionary {

/// Whether a text is sought, or the end of all texts that begin with it: as if it went on with
/// bytes above all others.
enum class Bound { text, past_prefix };

/// A text, of which 16 bytes can be loaded anywhere.
class Query {
 public:
  Query() = default;
  explicit Query(std::string_view text, Bound bound = Bound::text) noexcept { set(text, bound); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  /// Asks for another text.
  void set(std::string_view text, Bound bound = Bound::text) noexcept {
    text_ = text;
    past_ = bound == Bound::past_prefix;
    if (text.size() > kShort) return;
    std::memcpy(room_.data(), text.data(), text.size());
    std::memset(room_.data() + text.size(), behind(), kMaxToken);
    text_ = {room_.data(), text.size()};
  }

  std::string_view text() const noexcept { return text_; }
  std::size_t size() const noexcept { return text_.size(); }
  bool is_past_prefix() const noexcept { return past_; }
  /// Byte `at` as a number in whose order texts are; where the text ends, below or above all bytes.
  int byte(std::size_t at) const noexcept {
    if (at >= text_.size()) return past_ ? 256 : -1;
    return static_cast<unsigned char>(text_[at]);
  }
  /// The 8 bytes from `at` on as a number in whose order texts are that do not end in NUL; behind
  /// the text, as for byte(), the lowest or the highest.
  std::uint64_t slice(std::size_t at) const noexcept {
    at = std::min(at, text_.size());
    std::uint64_t bytes;
    if (text_.size() <= kShort || text_.size() - at >= sizeof bytes) [[likely]] {
      std::memcpy(&bytes, text_.data() + at, sizeof bytes);
    } else {
      std::memset(&bytes, behind(), sizeof bytes);
      std::memcpy(&bytes, text_.data() + at, text_.size() - at);
    }
    return base::load_be<std::uint64_t>(&bytes);
  }
  /// How many bytes a token begins with that stand at `at` (at most size()), too.
  std::size_t matched(const TokenTable::Text& token, std::size_t size,
                      std::size_t at) const noexcept {
    std::array<std::uint64_t, 2> here;
    load(at, here);
    std::array<std::uint64_t, 2> there;
    std::memcpy(there.data(), token.bytes.data(), sizeof there);
    std::size_t same = 0;
    if (const std::uint64_t low = here[0] ^ there[0]; low != 0) {
      same = base::first_byte(low);
    } else if (const std::uint64_t high = here[1] ^ there[1]; high != 0) {
      same = 8 + base::first_byte(high);
    } else {
      same = kMaxToken;
    }
    return std::min({same, size, text_.size() - at});
  }

 private:
  static constexpr std::size_t kShort = 240;

  /// The byte behind a text where more of it is loaded.
  int behind() const noexcept { return past_ ? 0xff : 0; }
  void load(std::size_t at, std::array<std::uint64_t, 2>& to) const noexcept {
    if (text_.size() <= kShort || text_.size() - at >= kMaxToken) [[likely]] {
      std::memcpy(to.data(), text_.data() + at, sizeof to);
    } else {
      to = {};
      std::memcpy(to.data(), text_.data() + at, text_.size() - at);
    }
  }

  std::array<char, kShort + kMaxToken> room_;
  std::string_view text_;
  bool past_ = false;
};

}  // namespace crivo::dictionary
