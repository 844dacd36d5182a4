// SPDX-License-Identifier: Apache-2.0
/// A dictionary in memory: keys to their ranks, and back.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "structures/dictionary/block.hpp"
#include "structures/dictionary/directory.hpp"
#include "structures/dictionary/layout.hpp"
#include "structures/dictionary/query.hpp"
#include "structures/dictionary/token_table.hpp"
#include "structures/dictionary/values.hpp"

namespace crivo::dictionary {

/// Where a text is, or would be.
struct Place {
  std::uint64_t id = 0;  ///< of the first key at or above it; the number of keys if all are below
  bool found = false;    ///< that key is the text
};

/// Ids in a row: from begin on, and before end.
struct Ids {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Sections that are not trusted: whatever they hold, no byte outside of them is read, and no id is
/// above the number of keys. Immutable; any thread.
class Reader {
 public:
  /// Checks sizes, and makes the table of tokens. Throws Error(corrupt). O(2^token bits).
  explicit Reader(const Sections& sections);

  const Head& head() const noexcept { return head_; }
  std::uint64_t size() const noexcept { return head_.keys; }
  std::uint64_t blocks() const noexcept { return blocks_count_; }

  /// O(log n), and a block of keys.
  Place find(std::string_view text, Bound bound = Bound::text) const noexcept;
  /// places[i] = find(texts[i]), of spans of one length. What several of them wait for is asked of
  /// memory at once.
  void find(std::span<const std::string_view> texts, std::span<Place> places) const noexcept;
  /// The keys that begin with a text; begin is at most end.
  Ids prefix(std::string_view text) const noexcept;
  /// Writes the key of an id to `to`, which has room for head().longest_key bytes, and returns its
  /// length; nothing for an id that no key has, or where the dictionary is malformed.
  std::optional<std::size_t> key(std::uint64_t id, std::span<char> to) const noexcept;
  /// The keys of ids, one after the other in `to`, as long as it has room for head().longest_key
  /// bytes more: that of ids[i] is at ends[i], and before ends[i + 1], which is one more than ids.
  /// Returns how many were written, less than ids also where key() has nothing. What several of
  /// them wait for is asked of memory at once.
  std::size_t keys(std::span<const std::uint64_t> ids, std::span<char> to,
                   std::span<std::uint64_t> ends) const noexcept;
  /// The longest of the keys that `text` begins with; nothing if there is none.
  std::optional<std::uint64_t> longest_prefix(std::string_view text,
                                              std::size_t& size) const noexcept;

  /// Whether the texts of every node of the directory lie in it. O(n / 16).
  bool has_sound_directory() const noexcept { return directory_.is_sound(); }
  const TokenTable& tokens() const noexcept { return tokens_; }
  /// The numbers beside the keys; nothing if there are none.
  const std::optional<Values>& values() const noexcept { return values_; }
  /// Returns the checks of its pages; null if they are not checked.
  const base::PageChecks* checks() const noexcept { return pages_.checks(); }
  /// False where the block is malformed, or damaged.
  bool open_block(std::uint64_t number, Block& block) const noexcept;

 private:
  struct InBlock {
    unsigned index = 0;  ///< of the first key at or above the query
    bool found = false;
    std::size_t matched = 0;  ///< what the key before has in common with the query
  };

  std::uint64_t offset(std::uint64_t block) const noexcept;
  Place find_in(std::uint64_t number, const Query& query) const noexcept;
  InBlock find_in(const Block& block, const Query& query) const noexcept;
  /// Asks for the memory of a block, or of where it begins.
  void prefetch(std::uint64_t block) const noexcept;
  void prefetch_offset(std::uint64_t block) const noexcept;
  template <typename Columns>
  InBlock find_in(const Block& block, const Columns& columns, const Query& query) const noexcept;
  template <typename Columns>
  std::optional<std::size_t> write_key(const Block& block, const Columns& columns, unsigned index,
                                       std::span<char> to) const noexcept;

  base::Pages pages_;
  Head head_;
  std::uint64_t blocks_count_;
  TokenTable tokens_;
  Directory directory_;
  base::ByteView groups_;   ///< of kGroup blocks: u64 where the first begins
  base::ByteView offsets_;  ///< of each block, from its group's
  base::ByteView blocks_;
  std::optional<Values> values_;
};

/// Cache lines of a block that are asked for before it is read.
inline constexpr std::size_t kPrefetched = 8;
/// Blocks whose offsets count from one number.
inline constexpr std::uint64_t kGroup = 16;

/// Writes the texts of the tokens from `begin` to `end` to `to`, from byte `size` on. Returns where
/// they end; above to.size() if there is no room.
inline std::size_t append_tokens(const TokenTable::View table, const std::byte* tokens,
                                 std::uint64_t begin, std::uint64_t end, std::span<char> to,
                                 std::size_t size) noexcept {
  for (std::uint64_t i = begin; i < end; ++i) {
    const std::uint32_t token = table.get(tokens, i);
    const std::size_t bytes = table.size(token);
    const std::size_t left = to.size() - size;
    if (left >= kMaxToken) [[likely]] {
      std::memcpy(to.data() + size, table.text(token).bytes.data(), kMaxToken);
    } else {
      if (bytes > left) return to.size() + 1;
      std::memcpy(to.data() + size, table.text(token).bytes.data(), bytes);
    }
    size += bytes;
  }
  return size;
}

/// Keys in order, from any on. Allocates when it is made, and never afterwards.
class Walk {
 public:
  explicit Walk(const Reader& reader);

  /// To a key, of any id; false at the end, or where the dictionary is malformed.
  bool seek(std::uint64_t id) noexcept;
  /// To the key after, or the first one; the same.
  bool next() noexcept;
  /// To a key, as next() does where it is at the one before; the same.
  bool go_to(std::uint64_t id) noexcept;

  std::uint64_t id() const noexcept { return id_; }
  std::string_view key() const noexcept { return {key_.data(), size_}; }
  /// How many bytes next() left of the key before, at least: the two may share more.
  std::size_t shared() const noexcept { return shared_; }
  /// Whether it ended because the dictionary is malformed.
  bool is_malformed() const noexcept { return malformed_; }

 private:
  bool open(std::uint64_t block) noexcept;
  bool append() noexcept;
  template <typename Columns>
  bool append(const Columns& columns) noexcept;
  bool fail() noexcept;

  const Reader& reader_;
  std::vector<char> key_;
  std::size_t size_ = 0;
  std::size_t shared_ = 0;
  std::uint64_t id_ = 0;
  Block block_;
  NarrowColumns narrow_;
  WideColumns wide_;
  unsigned index_ = 0;
  bool malformed_ = false;
  bool begun_ = false;
};

}  // namespace crivo::dictionary
