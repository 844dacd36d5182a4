// SPDX-License-Identifier: Apache-2.0
/// Chooses the tokens of a dictionary.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "structures/dictionary/token_table.hpp"

namespace crivo::dictionary {

/// Texts to train on.
struct Sample {
  std::string bytes;
  std::vector<std::uint32_t> sizes;

  void add(std::string_view text) {
    bytes += text;
    sizes.push_back(static_cast<std::uint32_t>(text.size()));
  }
  template <typename Visit>
  void for_each(const Visit& visit) const {
    std::string_view rest = bytes;
    for (const std::uint32_t size : sizes) {
      visit(rest.substr(0, size));
      rest.remove_prefix(size);
    }
  }
};

/// Bytes that must be tokens: a bit each.
using ByteSet = std::array<bool, 256>;

struct Trained {
  TokenTexts tokens;
  unsigned bits = 8;
  double bytes = 0;  ///< of all texts and the section of the tokens, as far as the sample tells
};

/// Tokens of `bits` bits that make texts like these short, of which there are `share` times as many
/// bytes. In rounds, the sample is cut into the fewest tokens that there are so far, and the tokens
/// and pairs of neighbours that save most are kept. (Pairs become tokens as in OnPair: Gargiulo,
/// Venturini, arXiv:2508.02280.) All bytes of `singles` are tokens; more than 2^bits need more
/// bits.
Trained train(const Sample& sample, const ByteSet& singles, unsigned bits, double share);

}  // namespace crivo::dictionary
