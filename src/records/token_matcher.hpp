// SPDX-License-Identifier: Apache-2.0
/// The longest token that a text begins with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"

namespace crivo::records {

/// The longest token, in bytes: one copy of 16 bytes writes any.
inline constexpr std::size_t kMaxToken = 16;

/// A set of tokens, which holds the 256 single bytes from the beginning: token b is the byte b. A
/// table tells by a text's first bytes how long the tokens are that begin with them; each of these
/// lengths, the longest first, is looked for in a hash table.
class TokenMatcher {
 public:
  struct Match {
    std::uint32_t token = 0;
    std::uint32_t size = 0;  ///< in bytes, at least 1
  };

  TokenMatcher();

  /// Adds a token of 2 to kMaxToken bytes; false if it is there. `token` is its number.
  bool insert(base::ByteView text, std::uint32_t token);
  /// The longest token that `text`, which is not empty, begins with; of those shorter than `below`.
  Match longest(base::ByteView text, std::size_t below = kMaxToken + 1) const noexcept;

 private:
  // A text of at most 16 bytes as two numbers; bytes that it lacks are zero.
  struct Text {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    friend bool operator==(const Text&, const Text&) = default;
  };
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t entry = 0;  // its number in texts_, from 1; 0: free
  };
  struct Entry {
    Text text;
    std::uint32_t token = 0;
    std::uint32_t size = 0;
  };

  static Text load(base::ByteView text) noexcept;
  static Text front(const Text& text, std::size_t size) noexcept;
  static std::uint32_t hash_of(const Text& text, std::size_t size) noexcept;
  static std::size_t place_of_front(const Text& text) noexcept;
  std::size_t find(const Text& text, std::size_t size, std::uint32_t hash) const noexcept;

  // Bit i: there are tokens of i bytes, i below kLongFront by the first two bytes, i from it on by
  // the hash of so many.
  std::vector<std::uint32_t> short_sizes_;
  std::vector<std::uint32_t> long_sizes_;
  std::vector<Slot> slots_;  // open addressing, at most half full
  std::vector<Entry> entries_;
};

}  // namespace crivo::records
