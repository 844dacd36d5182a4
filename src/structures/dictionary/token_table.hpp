// SPDX-License-Identifier: Apache-2.0
/// The tokens of a dictionary by number: strings of 1 to 16 bytes.
///
/// Cuts texts into the fewest tokens.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "structures/dictionary/layout.hpp"

namespace crivo::dictionary {

/// Strings of 1 to kMaxToken bytes, by number.
using TokenTexts = std::vector<std::string>;

/// The section of the tokens: u32 their number m; their lengths less 1, of 4 bits each, the low
/// half of a byte first; their texts one after the other.
inline base::Bytes encode_tokens(const TokenTexts& tokens) {
  base::FieldWriter fields;
  fields.u32(static_cast<std::uint32_t>(tokens.size()));
  for (std::size_t i = 0; i < tokens.size(); i += 2) {
    const std::size_t second = i + 1 < tokens.size() ? tokens[i + 1].size() - 1 : 0;
    fields.u8(static_cast<std::uint8_t>((tokens[i].size() - 1) | second << 4));
  }
  for (const std::string& token : tokens) fields.bytes(base::as_bytes(token));
  return fields.take();
}

/// The tokens, made ready to be copied and compared. A number without a token has no bytes.
class TokenTable {
 public:
  struct alignas(kMaxToken) Text {
    std::array<char, kMaxToken> bytes{};
  };

  /// Throws Error(corrupt) for what is no section of tokens of so many bits.
  TokenTable(base::ByteView section, unsigned bits);

  /// The same in registers: what writes texts does not make them be read again.
  class View {
   public:
    explicit View(const TokenTable& table) noexcept
        : bits_(table.bits_), texts_(table.texts_.data()), sizes_(table.sizes_.data()) {}

    /// Below 2^bits().
    const Text& text(std::uint32_t token) const noexcept { return texts_[token]; }
    std::size_t size(std::uint32_t token) const noexcept { return sizes_[token]; }
    /// The first byte of a token.
    int first(std::uint32_t token) const noexcept {
      return static_cast<unsigned char>(texts_[token].bytes[0]);
    }
    /// Token `i` of those at `at`, behind which there are 8 bytes more.
    std::uint32_t get(const std::byte* at, std::uint64_t i) const noexcept {
      if (bits_ == 8) return static_cast<std::uint32_t>(at[i]);
      const std::uint64_t bit = i * bits_;
      return base::load_le<std::uint32_t>(at + bit / 8) >> (bit % 8) & ((1U << bits_) - 1);
    }

   private:
    unsigned bits_;
    const Text* texts_;
    const std::uint8_t* sizes_;
  };

 private:
  unsigned bits_;
  std::vector<Text> texts_;
  std::vector<std::uint8_t> sizes_;
};

inline TokenTable::TokenTable(base::ByteView section, unsigned bits)
    : bits_(bits), texts_(std::size_t{1} << bits), sizes_(std::size_t{1} << bits) {
  base::FieldReader fields(section, "the dictionary's tokens");
  const std::size_t count = fields.u32();
  if (count > texts_.size()) fields.fail("are too many");
  const base::ByteView lengths = fields.take((count + 1) / 2);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = (static_cast<std::size_t>(lengths[i / 2]) >> (i % 2 * 4) & 15) + 1;
    std::memcpy(texts_[i].bytes.data(), fields.take(size).data(), size);
    sizes_[i] = static_cast<std::uint8_t>(size);
  }
  if (count % 2 != 0 && static_cast<unsigned>(lengths.back()) > 15)
    fields.fail("have a length too many");
  fields.expect_end();
}

/// All tokens as a trie, in a double array (Aoe, An efficient digital search algorithm by using a
/// double-array structure, 1989).
class TokenTrie {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// The tokens differ.
  explicit TokenTrie(const TokenTexts& tokens);

  /// Calls visit(token, size) for each token that `text` begins with, the shortest first.
  template <typename Visit>
  void for_each_match(std::string_view text, const Visit& visit) const {
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < text.size();) {
      const std::uint32_t next = nodes_[node].base + static_cast<unsigned char>(text[i]);
      if (nodes_[next].parent != node) return;
      node = next;
      ++i;
      if (nodes_[node].token != kNone) visit(nodes_[node].token, i);
    }
  }

 private:
  struct Node {
    std::uint32_t base = 0;
    std::uint32_t parent = kNone;
    std::uint32_t token = kNone;
  };
  struct Range {
    std::uint32_t node;
    std::size_t begin;
    std::size_t end;
    std::size_t depth;
  };

  void add_children(const std::vector<std::pair<std::string_view, std::uint32_t>>& sorted,
                    const Range& range, std::vector<Range>& open);
  std::uint32_t free_base(const std::vector<unsigned char>& labels);

  std::vector<Node> nodes_;
  std::size_t first_free_ = 1;
};

/// Cuts one text after another.
class Cutter {
 public:
  explicit Cutter(const TokenTrie& trie) : trie_(trie) {}

  /// Appends the fewest tokens that make up `text` to `tokens`; of several such cuts the one that
  /// takes the longest first token, then second, and so on. Each byte of it is a token; of the
  /// others, none of more than `longest` bytes is used. O(16 n).
  void cut(std::string_view text, std::vector<std::uint16_t>& tokens,
           std::size_t longest = kMaxToken);

 private:
  struct Step {
    std::uint32_t cost;  ///< tokens from here to the end
    std::uint16_t token;
    std::uint16_t size;
  };

  const TokenTrie& trie_;
  std::vector<Step> steps_;
};

}  // namespace crivo::dictionary
