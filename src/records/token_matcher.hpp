/// The longest token that a text begins with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"

namespace crivo::records {

/// The longest token, in bytes: one copy of 16 bytes writes any.
inline constexpr std::size_t kMaxToken = 16;

/// A trie of tokens, which holds the 256 single bytes from the beginning: token b is the byte b. A
/// match takes one step a byte, of which those after the second look into a hash table.
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
  static constexpr std::uint32_t kNone = 0;  // no node
  static constexpr std::uint32_t kNoToken = ~std::uint32_t{0};

  struct Edge {
    std::uint32_t key = 0;  // node << 8 | byte
    std::uint32_t child = kNone;
  };

  std::size_t place(std::uint32_t key) const noexcept;
  std::uint32_t child(std::uint32_t node, std::byte byte) const noexcept;
  std::uint32_t new_node();
  void add_edge(std::uint32_t key, std::uint32_t child);

  std::vector<std::uint32_t> pairs_;  // the node of two bytes
  std::vector<Edge> edges_;           // open addressing, at most half full
  std::size_t edge_count_ = 0;
  unsigned shift_;                     // of a hash, to a place in edges_
  std::vector<std::uint32_t> tokens_;  // by node; kNoToken: of none
};

}  // namespace crivo::records
