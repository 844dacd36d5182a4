// SPDX-License-Identifier: Apache-2.0
/// The longest token that a text begins with, and how the tokens of a codec are trained.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "records/build/encoding.hpp"
#include "records/codec.hpp"
#include "records/tokens.hpp"

namespace crivo::records {

/// A set of tokens, which holds the 256 single bytes from the beginning: token b is the byte b.
/// Small tables, by the first few bytes of a text, tell how long the tokens are that may begin with
/// them; each of these lengths, the longest first, is looked for in a hash table, whose tags refuse
/// nearly all that is not there.
class TokenMatcher {
 public:
  struct Match {
    std::uint32_t token = 0;
    std::uint32_t size = 0;  ///< in bytes, at least 1
  };

  TokenMatcher();

  /// Adds a token of 2 to kMaxToken bytes; false if it is there. `token` is its number. At most
  /// 65536 are added.
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
  struct Entry {
    Text text;
    std::uint32_t token = 0;
    std::uint32_t size = 0;
  };
  static constexpr unsigned kEntryBits = 17;  // of a slot; the rest is the tag

  static Text load(base::ByteView text) noexcept;
  static Text front(const Text& text, std::size_t size) noexcept;
  static std::uint64_t hash_of(const Text& text, std::size_t size) noexcept;
  static std::uint32_t slot_of(std::uint64_t hash, std::uint32_t number) noexcept;
  // The entry of a text, counted from 1; 0, and in `at` where it belongs, if there is none.
  [[gnu::always_inline]] std::uint32_t find(const Text& text, std::size_t size,
                                            std::size_t& at) const noexcept;
  void grow();

  // By the hash of the first bytes of a text, as many as a row of kFronts says: bit i of the row's
  // table is set if there may be tokens of so many bytes, and i more, that begin with them.
  std::vector<std::uint8_t> sizes_;
  // Open addressing, at most half full. 0: free; else a tag, and the entry's number from 1.
  std::vector<std::uint32_t> slots_;
  std::vector<Entry> entries_;
};

/// The dictionary (TokenList::encode) of at most 2^bits tokens that makes units like these short;
/// see CodecType::train. First pairs of tokens that stand side by side often become tokens, while
/// the sample is read once (OnPair); then the tokens and pairs that save most are kept, as far as
/// each saves more than it takes. About 0.05 s a megabyte.
base::Bytes train_tokens(const UnitSample& sample, double share, unsigned bits);

}  // namespace crivo::records
