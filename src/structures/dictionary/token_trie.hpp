// SPDX-License-Identifier: Apache-2.0
/// Cuts texts into the fewest tokens.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "structures/dictionary/token_table.hpp"

namespace crivo::dictionary {

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
