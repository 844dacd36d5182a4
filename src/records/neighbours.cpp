// SPDX-License-Identifier: Apache-2.0
#include "records/neighbours.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "crivo/error.hpp"

namespace crivo::records {

namespace {

[[noreturn]] void fail_dictionary() {
  throw Error(ErrorKind::corrupt, "the record store's dictionary of neighbours is malformed");
}

/// Symbols by length of their codewords, then by number: the order of codewords.
std::vector<std::uint8_t> symbols_in_order(base::ByteView lengths) {
  std::array<std::size_t, 257> places{};  // of the next symbol with each length
  for (const std::byte length : lengths) ++places[std::to_integer<unsigned>(length) + 1];
  for (std::size_t length = 1; length < places.size(); ++length)
    places[length] += places[length - 1];
  std::vector<std::uint8_t> symbols(lengths.size());
  for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol)
    symbols[places[std::to_integer<unsigned>(lengths[symbol])]++] =
        static_cast<std::uint8_t>(symbol);
  return symbols;
}

csf::LengthCounts counts_of(base::ByteView lengths) {
  csf::LengthCounts counts{};
  for (const std::byte length : lengths) {
    if (length == std::byte{0} || static_cast<unsigned>(length) > csf::kMaxCodeBits)
      fail_dictionary();
    ++counts[static_cast<unsigned>(length)];
  }
  if (!csf::is_complete(counts)) fail_dictionary();
  return counts;
}

/// Bits, the lowest of a byte first, of which there are endless zeros behind the last.
class BitReader {
 public:
  /// Reads the first `size` bytes of `bytes`.
  BitReader(base::ByteView bytes, std::size_t size)
      : next_(bytes.data()), left_(size), readable_(bytes.size()) {}

  /// At least 32 bits to come.
  std::uint32_t peek() noexcept {
    if (filled_ < 32) [[unlikely]]
      fill();
    return static_cast<std::uint32_t>(bits_);
  }
  void skip(unsigned count) noexcept {
    bits_ >>= count;
    filled_ -= count;
  }
  /// Up to 24 bits.
  std::uint32_t take(unsigned count) noexcept {
    const std::uint32_t taken = peek() & ((1U << count) - 1);
    skip(count);
    return taken;
  }
  /// Whether no more was taken than was there.
  bool is_within() const noexcept { return filled_ >= invented_; }
  /// Whether all was taken, but for less than a byte of zeros.
  bool is_finished() const noexcept {
    return is_within() && left_ == 0 && filled_ - invented_ < 8 && bits_ == 0;
  }

 private:
  void fill() noexcept {
    if (readable_ >= sizeof bits_) [[likely]] {
      auto ahead = base::load_le<std::uint64_t>(next_);
      if (left_ < sizeof ahead) ahead &= (std::uint64_t{1} << 8 * left_) - 1;
      bits_ |= ahead << filled_;
      advance(std::min<std::size_t>((63 - filled_) / 8, left_));
    }
    while (filled_ < 32 && left_ != 0) {
      bits_ |= static_cast<std::uint64_t>(*next_) << filled_;
      advance(1);
    }
    if (filled_ < 32) {
      invented_ += 32;
      filled_ += 32;
    }
  }

  void advance(std::size_t bytes) noexcept {
    next_ += bytes;
    left_ -= bytes;
    readable_ -= bytes;
    filled_ += static_cast<unsigned>(8 * bytes);
  }

  const std::byte* next_;
  std::size_t left_;
  std::size_t readable_;
  std::uint64_t bits_ = 0;
  unsigned filled_ = 0;
  unsigned invented_ = 0;
};

/// Finds symbols by the codewords that bits begin with.
class SymbolReader {
 public:
  explicit SymbolReader(base::ByteView lengths)
      : symbols_(symbols_in_order(lengths)), decoder_(counts_of(lengths), csf::kMaxCodeBits) {
    for (const std::uint8_t symbol : symbols_)
      sizes_.push_back(static_cast<std::uint8_t>(lengths[symbol]));
    for (std::uint32_t bits = 0; bits < quick_.size(); ++bits) {
      const std::uint32_t index = decoder_.index(bits);
      if (sizes_[index] <= kQuickBits) quick_[bits] = {symbols_[index], sizes_[index]};
    }
  }

  [[gnu::always_inline]] std::uint32_t take(BitReader& bits) const noexcept {
    const std::uint32_t ahead = bits.peek();
    const Found found = quick_[ahead % quick_.size()];
    if (found.size != 0) [[likely]] {
      bits.skip(found.size);
      return found.symbol;
    }
    const std::uint32_t index = decoder_.index(ahead);
    bits.skip(sizes_[index]);
    return symbols_[index];
  }

 private:
  static constexpr unsigned kQuickBits = 10;
  struct Found {
    std::uint8_t symbol = 0;
    std::uint8_t size = 0;  ///< 0: of a longer codeword
  };

  std::vector<std::uint8_t> symbols_;  // in the order of codewords
  std::vector<std::uint8_t> sizes_;    // of these
  csf::Decoder decoder_;
  std::array<Found, std::size_t{1} << kQuickBits> quick_{};
};

/// The dictionary, ready to decode with.
struct NeighbourTables {
  explicit NeighbourTables(base::ByteView dictionary)
      : literal_lengths(part(dictionary, 0)),
        match_lengths(part(dictionary, 1)),
        offsets(part(dictionary, 2)),
        bytes(part(dictionary, 3)),
        text(dictionary.subspan(Symbols::kSymbols)) {}

  static base::ByteView part(base::ByteView dictionary, std::size_t alphabet) {
    if (dictionary.size() < Symbols::kSymbols) fail_dictionary();
    const std::size_t begin = std::accumulate(Symbols::kSizes.begin(),
                                              Symbols::kSizes.begin() + alphabet, std::size_t{0});
    return dictionary.subspan(begin, Symbols::kSizes[alphabet]);
  }

  SymbolReader literal_lengths;
  SymbolReader match_lengths;
  SymbolReader offsets;
  SymbolReader bytes;
  base::ByteView text;
};

class NeighbourReader final : public BlockReader {
 public:
  NeighbourReader(const NeighbourTables& tables, std::uint64_t longest_raw)
      : tables_(tables),
        // Copies of a match go up to 15 bytes beyond its end.
        room_(tables.text.size() + longest_raw + kBeyond),
        ends_(kMostNeighbours + 1),
        begins_(leaders_of(kMostNeighbours) + 1) {
    std::ranges::copy(tables.text, room_.begin());
    begins_[0] = tables.text.size();
  }

  bool open(base::ByteView stored, std::uint32_t records) noexcept override {
    leaders_ = 0;
    records_ = 0;
    if (records > kMostNeighbours) return false;
    std::size_t end = 0;
    for (std::uint32_t i = 0; i < records; ++i) {
      std::uint32_t size = 0;
      if (!base::take_varint(stored, size) || size > stored.size()) return false;
      ends_[i + 1] = static_cast<std::uint32_t>(end += size);
    }
    if (end != stored.size()) return false;
    pieces_ = stored;
    records_ = records;
    return true;
  }

  bool read(std::uint32_t number, std::string_view& record) noexcept override {
    const std::size_t needed = leaders_before(number, records_) + (is_leader(number) ? 1 : 0);
    for (; leaders_ < needed; ++leaders_) {
      const std::size_t begin = begins_[leaders_];
      const std::size_t last = leaders_ == 0 ? 1 : begin - begins_[leaders_ - 1];
      const std::size_t size = decode(leaders_, begin, last);
      if (size == kMalformed) return false;
      begins_[leaders_ + 1] = begin + size;
    }
    if (is_leader(number)) {
      const std::size_t leader = number / kRecordsALeader;
      record = text(begins_[leader], begins_[leader + 1]);
      return true;
    }
    // It lies behind the leaders that it is coded against, over what others were decoded already.
    const std::size_t context = begins_[needed];
    const std::size_t own = context - begins_[number / kRecordsALeader];
    const std::size_t piece = leaders_of(records_) + number - number / kRecordsALeader - 1;
    const std::size_t size = decode(piece, context, own);
    leaders_ = needed;
    if (size == kMalformed) return false;
    record = text(context, context + size);
    return true;
  }

 private:
  static constexpr std::size_t kBeyond = 32;
  static constexpr std::size_t kMalformed = SIZE_MAX;

  std::string_view text(std::size_t begin, std::size_t end) const noexcept {
    return base::as_text(base::ByteView(room_).subspan(begin, end - begin));
  }

  /// Decodes a piece to the room from `begin` on; its length.
  std::size_t decode(std::size_t piece, std::size_t begin, std::size_t last) noexcept {
    BitReader bits(pieces_.subspan(ends_[piece]), ends_[piece + 1] - ends_[piece]);
    std::byte* const room = room_.data();
    const std::size_t end = room_.size() - kBeyond;
    std::size_t at = begin;
    last = std::max<std::size_t>(last, 1);  // of an empty leader
    while (bits.is_within()) {
      const std::uint32_t literals = number<Symbols::LiteralLength>(tables_.literal_lengths, bits);
      if (literals > end - at) return kMalformed;
      for (std::uint32_t i = 0; i < literals; ++i) room[at++] = std::byte(tables_.bytes.take(bits));
      const std::uint32_t match = number<Symbols::MatchLength>(tables_.match_lengths, bits);
      if (match == 0) return bits.is_finished() ? at - begin : kMalformed;
      last = distance(bits, last);
      if (match + 1 > end - at || last == 0 || last > at) return kMalformed;
      copy(room + at, last, match + 1);
      at += match + 1;
    }
    return kMalformed;
  }

  template <typename Number>
  static std::uint32_t number(const SymbolReader& symbols, BitReader& bits) noexcept {
    const std::uint32_t symbol = symbols.take(bits);
    return Number::least_of(symbol) + bits.take(Number::size_of(symbol));
  }

  std::size_t distance(BitReader& bits, std::size_t last) const noexcept {
    const std::uint32_t symbol = tables_.offsets.take(bits);
    if (symbol == 0) return last;
    if (symbol <= Offset::kNear) return last - std::min<std::size_t>(last, symbol);
    if (symbol < Offset::kFirstPower) return last + symbol - Offset::kNear;
    const unsigned size = symbol - Offset::kFirstPower;
    return (std::size_t{1} << size) + bits.take(size);
  }

  /// Bytes from so far before `to`, which may be among those that are written.
  static void copy(std::byte* to, std::size_t distance, std::size_t size) noexcept {
    if (distance < 16) {
      for (std::size_t i = 0; i < size; ++i) to[i] = to[i - distance];
      return;
    }
    for (std::size_t i = 0; i < size; i += 16) std::memcpy(to + i, to + i - distance, 16);
  }

  const NeighbourTables& tables_;
  base::Bytes room_;                 // the dictionary's text, the leaders', and a record's
  std::vector<std::uint32_t> ends_;  // of the pieces, from 0 on
  std::vector<std::size_t> begins_;  // of the leaders that are decoded, and the end of the last
  std::size_t leaders_ = 0;          // so many
  base::ByteView pieces_;
  std::uint32_t records_ = 0;
};

class NeighbourCodec final : public Codec {
 public:
  explicit NeighbourCodec(base::ByteView dictionary) : tables_(dictionary) {}

  std::unique_ptr<BlockReader> block_reader(std::uint64_t longest_raw) const override {
    return std::make_unique<NeighbourReader>(tables_, longest_raw);
  }

 private:
  NeighbourTables tables_;
};

}  // namespace

SymbolCode::SymbolCode(base::ByteView lengths) : of_symbol(lengths.size()) {
  const std::vector<csf::Codeword> words = csf::codewords(counts_of(lengths));
  const std::vector<std::uint8_t> symbols = symbols_in_order(lengths);
  for (std::size_t i = 0; i < symbols.size(); ++i) of_symbol[symbols[i]] = words[i];
}

std::unique_ptr<const Codec> open_neighbours(base::ByteView dictionary) {
  return std::make_unique<NeighbourCodec>(dictionary);
}

}  // namespace crivo::records
