// SPDX-License-Identifier: Apache-2.0
/// Chooses the tokens of a dictionary.
#pragma once

#include <array>
#include <cstddef>
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

/// Texts that are ranked by a number drawn for each, of which the first are kept, as many as make
/// up kBytes: a sample that depends on the texts alone, and is of about the same size for any
/// number of them.
class RankSample {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 19;
  /// So many bytes are held at a time, but for the last text.
  static constexpr std::size_t kMostBytes = 2 * kBytes;

  /// The text of the next rank.
  void add(std::string_view text);
  /// Those that are kept, in the order of their ranks. Once, last.
  Sample finish();

 private:
  static constexpr std::size_t kLongest = 4096;  ///< of a text, its beginning

  /// Lets go of those that are surely not kept.
  void prune();

  std::uint64_t ranks_ = 0;
  std::uint64_t bound_ = UINT64_MAX;  ///< those drawn above are not kept
  // The texts that are kept, by rank:
  std::string bytes_;
  std::vector<std::uint16_t> sizes_;
  std::vector<std::uint64_t> drawn_;
};

}  // namespace crivo::dictionary
