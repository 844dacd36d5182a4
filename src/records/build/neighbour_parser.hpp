// SPDX-License-Identifier: Apache-2.0
/// Cuts the records of blocks into literals and matches, for the codec `neighbours`: by dynamic
/// programming, into the fewest bits that its codes allow for the matches that are looked at.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "records/block.hpp"
#include "records/neighbours.hpp"

namespace crivo::records {

/// The codes that a dictionary has.
struct SymbolCodes {
  explicit SymbolCodes(base::ByteView lengths) {
    for (const std::size_t size : Symbols::kSizes) {
      of.emplace_back(lengths.first(size));
      lengths = lengths.subspan(size);
    }
  }
  std::uint32_t literals(std::uint32_t count) const noexcept {
    const auto number = Symbols::LiteralLength::of(count);
    return of[0].of_symbol[number.symbol].length + number.size;
  }
  std::uint32_t match(std::uint32_t length_less_1) const noexcept {
    const auto number = Symbols::MatchLength::of(length_less_1);
    return of[1].of_symbol[number.symbol].length + number.size;
  }
  std::uint32_t place(const Offset& place) const noexcept {
    return of[2].of_symbol[place.symbol].length + place.size;
  }
  std::uint32_t literal(std::byte byte) const noexcept {
    return of[3].of_symbol[static_cast<std::size_t>(byte)].length;
  }

  std::vector<SymbolCode> of;
};

/// Some literals, and the match behind them, or the end.
struct Sequence {
  std::uint32_t literals = 0;
  std::uint32_t match = 0;  ///< its length; 0: the end
  std::uint32_t distance = 0;
};

/// Finds where text was before: chains of places with the same first bytes, by a hash of these.
class MatchFinder {
 public:
  static constexpr std::size_t kLeast = 4;  ///< bytes of a match that it finds

  /// Keeps what is noted now for restore().
  void keep() { kept_heads_ = heads_; }
  void restore() { heads_ = kept_heads_; }
  void reserve(std::size_t bytes) {
    if (before_.size() < bytes) before_.resize(bytes);
  }
  /// Notes a place of `text`, which goes on for kLeast bytes.
  void add(const std::byte* text, std::uint32_t at) {
    std::uint32_t& head = heads_[hash_of(text + at)];
    before_[at] = head;
    head = at + 1;
  }
  /// Takes back the last add().
  void take_back(const std::byte* text, std::uint32_t at) noexcept {
    heads_[hash_of(text + at)] = before_[at];
  }
  /// Calls visit(place) for the places that may match, the last first.
  template <typename Visit>
  void for_each(const std::byte* text, std::uint32_t at, const Visit& visit) const {
    std::uint32_t next = heads_[hash_of(text + at)];
    for (std::size_t i = 0; next != 0 && i < kMostTried; ++i, next = before_[next - 1])
      visit(next - 1);
  }

 private:
  static constexpr unsigned kHashBits = 14;
  static constexpr std::size_t kMostTried = 16;

  static std::size_t hash_of(const std::byte* text) noexcept {
    return base::load_le<std::uint32_t>(text) * 2654435761U >> (32 - kHashBits);
  }

  std::vector<std::uint32_t> heads_ = std::vector<std::uint32_t>(std::size_t{1} << kHashBits);
  std::vector<std::uint32_t> kept_heads_;
  std::vector<std::uint32_t> before_;
};

/// Cuts records into sequences of the fewest bits, as some codes have it.
class RecordParser {
 public:
  RecordParser(base::ByteView text, const SymbolCodes& codes);

  /// Begins a block.
  void begin();
  std::size_t size() const noexcept { return text_.size(); }
  /// Goes back to a text of so many bytes.
  void cut(std::size_t size) noexcept;
  /// Adds a record, which is coded against all before it, the last match as far back as `last`;
  /// its sequences are in `sequences`.
  void parse(std::string_view record, std::uint32_t last, std::vector<Sequence>& sequences);

 private:
  /// The cheapest way to a place in the record.
  struct Way {
    std::uint32_t cost = UINT32_MAX;
    std::uint32_t literals = 0;  ///< literals since the last match
    std::uint32_t match = 0;     ///< the length of a match that ends here; 0: a literal
    std::uint32_t last = 0;      ///< the distance of the last match
  };

  /// A longer match is taken as it is, and nothing within it is tried.
  static constexpr std::uint32_t kEnough = 48;
  /// Shorter parts of a match are tried up to so many bytes.
  static constexpr std::uint32_t kTried = 32;
  static constexpr std::uint32_t kLeastAgain = 2;  ///< bytes of a match as far back as the last
  static constexpr std::uint32_t kLeastNear = 3;

  /// Returns how many places of a text of so many bytes a match can begin at.
  static std::size_t places_of(std::size_t size) noexcept {
    return size < MatchFinder::kLeast ? 0 : size - MatchFinder::kLeast + 1;
  }
  /// Notes the places before `end`.
  void note(std::size_t end) {
    for (end = std::min(end, places_of(text_.size())); noted_ < end; ++noted_)
      finder_.add(text_.data(), static_cast<std::uint32_t>(noted_));
  }

  std::uint32_t match_at(std::size_t at, std::uint32_t distance) const noexcept;

  /// Goes from `from` by a match of that length, or a part of it from `least` bytes on.
  void take(std::size_t from, std::uint32_t least, std::uint32_t size, std::uint32_t distance);

  /// Tries the matches at a place; the length of one that is long enough, or 0.
  std::uint32_t try_matches(std::size_t begin, std::size_t at);

  void find_cheapest(std::size_t begin, std::uint32_t last);

  void trace(std::size_t begin, std::vector<Sequence>& sequences) const;

  const SymbolCodes& codes_;
  MatchFinder finder_;
  base::Bytes text_;
  std::size_t first_ = 0;  // bytes of the dictionary's
  std::size_t noted_ = 0;  // the places before it are
  std::vector<Way> ways_;
};

/// Cuts the records of blocks.
class BlockParser {
 public:
  BlockParser(base::ByteView text, const SymbolCodes& codes) : parser_(text, codes) {}

  /// Calls use(number, record, last, sequences) for each record of a block, the leaders and the
  /// others in order; false, and nothing, if the block has no form of this codec.
  template <typename Use>
  bool parse(base::ByteView raw, const Use& use) {
    if (!split(raw)) return false;
    parser_.begin();
    begins_.assign(1, parser_.size());
    const std::size_t leaders = leaders_of(records_.size());
    for (std::size_t leader = 0, own = 0; own < leaders; ++own) {
      for (; leader < std::min(own + 2, leaders); ++leader) {
        parse_one(leader * kRecordsALeader, leader == 0 ? 0 : leader - 1, use);
        begins_.push_back(parser_.size());
      }
      const std::size_t end = std::min((own + 1) * kRecordsALeader, records_.size());
      for (std::size_t i = own * kRecordsALeader + 1; i < end; ++i) {
        parse_one(i, own, use);
        parser_.cut(begins_.back());
      }
    }
    return true;
  }

 private:
  bool split(base::ByteView raw) {
    records_.clear();
    std::string_view key;
    std::string_view record;
    while (take_raw_record(raw, key, record)) {
      if (!key.empty() || record.size() > kMostNeighbourBytes) return false;
      records_.push_back(record);
    }
    return raw.empty() && records_.size() <= kMostNeighbours;
  }

  /// A record, the first match of which may well lie where that leader begins.
  template <typename Use>
  void parse_one(std::size_t number, std::size_t like, const Use& use) {
    const std::size_t last = std::max<std::size_t>(parser_.size() - begins_[like], 1);
    parser_.parse(records_[number], static_cast<std::uint32_t>(last), sequences_);
    use(number, base::as_bytes(records_[number]), static_cast<std::uint32_t>(last),
        std::span<const Sequence>(sequences_));
  }

  RecordParser parser_;
  std::vector<std::string_view> records_;
  std::vector<std::size_t> begins_;  // of the leaders, and the end of the last
  std::vector<Sequence> sequences_;
};

}  // namespace crivo::records
