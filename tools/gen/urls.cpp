// SPDX-License-Identifier: Apache-2.0
#include "gen/urls.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace crivo::gen {
namespace {

constexpr std::uint64_t kBareEvery = 4096;
constexpr std::uint64_t kBareAt = 7;
constexpr std::uint64_t kBareNames = 26 * 26 * 26;
constexpr std::uint64_t kHomeEvery = 64;
constexpr std::uint64_t kHomeAt = 5;
constexpr std::uint64_t kHosts = (std::uint64_t{1} << UrlHosts::kBits) - 1;

constexpr std::string_view kScheme = "http://";

/// A class of hosts: ranks 2^k - 1 to 2^(k+1) - 2 in 2^kept_bits of 64 slots.
struct HostSlot {
  std::uint8_t k;
  std::uint8_t kept_bits;
  std::uint8_t kept;
};

constexpr unsigned kHostSlotBits = 6;
constexpr auto kHostSlots = [] {
  std::array<HostSlot, std::size_t{1} << kHostSlotBits> slots{};
  std::size_t at = 0;
  for (unsigned k = 0; k < UrlHosts::kBits; ++k) {
    const unsigned kept_bits = k < 4 ? 1 : k < 16 ? 2 : k < 18 ? 1 : 0;
    for (unsigned i = 0; i < 1U << kept_bits; ++i) {
      slots[at++] = {static_cast<std::uint8_t>(k), static_cast<std::uint8_t>(kept_bits),
                     static_cast<std::uint8_t>(i)};
    }
  }
  if (at != slots.size()) throw "the host classes do not fill the slots";
  return slots;
}();

constexpr unsigned kMaxDepth = 8;
constexpr unsigned kMinDirectoryBits = 6;

constexpr std::array<Piece<8>, 16> kEndings = {{{".html"},
                                                {".html"},
                                                {".html"},
                                                {".html"},
                                                {".html"},
                                                {".html"},
                                                {".html"},
                                                {".htm"},
                                                {".htm"},
                                                {".htm"},
                                                {"/"},
                                                {"/"},
                                                {".asp"},
                                                {".shtml"},
                                                {".txt"},
                                                {".HTM"}}};

constexpr std::array<Piece<8>, 4> kScripts = {{{".cgi?"}, {".asp?"}, {".php?"}, {".pl?"}}};

char* capitalise(char* word) noexcept {
  *word = static_cast<char>(*word - 'a' + 'A');
  return word;
}

/// Directory `option` (below 14) of a state: the options of one state give different names, and no
/// name is empty or holds '/' or '?'.
char* write_directory(std::uint64_t state, std::uint64_t option, bool top, char* p) noexcept {
  char* const start = p;
  const std::uint64_t style = state >> 60;
  const std::uint64_t first = state >> 32;
  const std::uint64_t word = first + 37 * option;  // 37 is odd: no two options meet modulo 256
  switch (style) {
    case 0:
      return write_decimal(p, first % 90 + option);
    case 1:
      p = write_dictionary_word(p, first >> 8);
      return write_decimal(p, first % 90 + option);
    case 2:
      return write_decimal(p, 1990 + option);
    case 3:
      *p++ = static_cast<char>('a' + (first + option) % 26);
      return p;
    case 4:
    case 5:
      if (top) *p++ = '~';
      return write_pseudo_word(p, {((first & 0xfff) << 4) | option, 16});
    case 6:
    case 7:
      p = write_dictionary_word(p, word);
      *p++ = style == 6 ? '_' : '-';
      return write_dictionary_word(p, word * 101 + (state & 0xff));
    case 8:
      p = write_dictionary_word(p, word);
      capitalise(start);
      return p;
    default:
      return write_dictionary_word(p, word);
  }
}

/// Dashed words that `hash` alone decides: three to six of them, more letters for a longer title.
char* write_slug(std::uint64_t hash, char* p) noexcept {
  for (std::uint64_t words = 3 + (hash >> 62); words != 0; --words) {
    *p++ = '-';
    p = write_dictionary_word(p, hash);
    hash >>= kDictionaryBits;
  }
  return p;
}

/// "name=value" as `hash` alone decides. At most 40 bytes.
char* write_parameter(std::uint64_t hash, char* p) noexcept {
  p = write_dictionary_word(p, hash >> 8);
  *p++ = '=';
  switch (hash >> 61) {
    case 0:
      p = write_text(p, "http://www.");
      p = write_pseudo_word(p, {hash & 0xffff, 16});
      return write_text(p, ".com/");
    case 1:
      p = write_dictionary_word(p, hash >> 16);
      p = write_text(p, hash & 1 ? "%20" : "+");
      return write_dictionary_word(p, hash >> 24);
    case 2:
    case 3:
      p = write_decimal(p, (hash >> 16) & 0xfff);
      *p++ = ',';
      return write_decimal(p, (hash >> 28) & 0xfff);
    case 4:
      return write_pseudo_word(p, {(hash >> 16) & 0xffffff, 24});
    default:
      return write_decimal(p, (hash >> 16) & 0xfffff);
  }
}

/// `code` in letters of both cases and digits, as many as its number of bits takes.
char* write_token(Bits code, char* p) noexcept {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_~";
  static_assert(kLetters.size() == 64);
  while (code.left != 0) *p++ = kLetters[code.take(std::min(code.left, 6U))];
  return p;
}

/// The page's name: all the bits of `code`, in a style of the state. Never empty, no '/' but at its
/// very end or after the first '?'; at most 90 bytes. `hash` is a function of state and code.
char* write_page_name(std::uint64_t state, Bits code, std::uint64_t hash, char* p) noexcept {
  const Piece<8>& ending = kEndings[(state >> 8) % kEndings.size()];
  if (code.left < kOnsetBits) {
    p = write_dictionary_word(p, state >> 32);
    p = write_decimal(p, code.value);
    return ending.write(p);
  }
  switch (state % 16) {
    case 0:
    case 1:
      p = write_decimal(p, code.value);
      return ending.write(p);
    case 3:
      p = write_dictionary_word(p, state >> 32);
      p = write_decimal(p, code.value);
      return ending.write(p);
    case 4: {
      const std::uint64_t low = code.take(code.left / 2);
      p = write_decimal(p, low);
      *p++ = '_';
      p = write_decimal(p, code.value);
      return ending.write(p);
    }
    case 5:
    case 6:
    case 7:
      // Five bits tell the word, the state's three only vary it.
      p = write_dictionary_word(p, (code.take(5) << 3) | ((state >> 32) & 7));
      *p++ = state % 16 == 5 ? '_' : '-';
      p = write_token(code, p);
      return ending.write(p);
    case 2:
    case 8:
    case 9:
    case 13:
      p = write_decimal(p, code.value);
      p = write_slug(hash, p);
      return ending.write(p);
    case 10:
      p = write_dictionary_word(p, state >> 32);
      p = kScripts[(state >> 40) % kScripts.size()].write(p);
      p = write_dictionary_word(p, state >> 48);
      *p++ = '=';
      p = write_decimal(p, code.value);
      if (hash >> 63 == 0) return p;
      *p++ = '&';
      return write_parameter(hash, p);
    case 11:
      p = write_token(code, p);
      return ending.write(p);
    case 12: {
      char* const start = p;
      p = write_pseudo_word(p, code);
      capitalise(start);
      return ending.write(p);
    }
    default:
      p = write_pseudo_word(p, code);
      return ending.write(p);
  }
}

/// One page in so many is stretched to a length of its own.
constexpr std::uint64_t kLongEvery = 180;
constexpr std::uint64_t kShortestLong = 100;  // bytes

/// Stretches a URL that ends at `p` with parameters up to a length that `hash` alone decides; most
/// are far below the limit, some reach it exactly.
char* write_tail(std::uint64_t hash, char* start, char* p) noexcept {
  const std::uint64_t spread = Urls::kMaxSize - kShortestLong + 1;
  const std::uint64_t one = base::mulhi(hash << 32, spread);
  const std::uint64_t other = base::mulhi((hash >> 16) << 32, spread);
  const bool even_spread = hash >> 62 == 0;
  char* const end = start + kShortestLong + (even_spread ? one : std::min(one, other));
  if (p >= end) return p;
  const bool has_query = std::find(start, p, '?') != p;
  *p++ = has_query ? '&' : '?';
  while (p < end) {
    hash = base::mix64(hash);
    p = write_parameter(hash, p);
    *p++ = '&';
  }
  return end;
}

}  // namespace

Urls::Urls(std::uint64_t seed) noexcept
    : salt_(derive(seed, 210)),
      hosts_(seed),
      bare_(kBareNames, derive(seed, 211)),
      pages_(kCapacity, derive(seed, 212)) {}

char* Urls::write_page(Bits code, char* p) const noexcept {
  char* const start = p;
  const std::uint64_t page_hash = base::mix64(code.value ^ salt_);

  const HostSlot& slot = kHostSlots[code.take(kHostSlotBits)];
  code.value = (code.value << slot.kept_bits) | slot.kept;
  code.left += slot.kept_bits;
  const std::uint64_t rank = (std::uint64_t{1} << slot.k) - 1 + code.take(slot.k);
  p = write_text(p, kScheme);
  p = hosts_.write(rank, p);
  *p++ = '/';

  // At each level two bits say: the page is here (0), or it is in one of 2, 4 or 8 directories.
  std::uint64_t state = base::mix64(salt_ + rank);
  for (unsigned depth = 0; depth < kMaxDepth && code.left >= kMinDirectoryBits; ++depth) {
    const auto choice = static_cast<unsigned>(code.take(2));
    if (choice == 0) break;
    const std::uint64_t option = (std::uint64_t{1} << choice) - 2 + code.take(choice);
    p = write_directory(state, option, depth == 0, p);
    *p++ = '/';
    state = base::mix64(state + option + 1);
  }
  p = write_page_name(state, code, page_hash, p);
  if (base::mulhi(page_hash, kLongEvery) == 0) p = write_tail(base::mix64(page_hash), start, p);
  return p;
}

char* Urls::write(std::uint64_t index, char* p) const noexcept {
  if (index % kBareEvery == kBareAt && index / kBareEvery < kBareNames) {
    std::uint64_t name = bare_(index / kBareEvery);
    for (int i = 0; i < 3; ++i) {
      *p++ = static_cast<char>('a' + name % 26);
      name /= 26;
    }
    return write_text(p, ".com");
  }
  if (index % kHomeEvery == kHomeAt && index / kHomeEvery < kHosts) {
    p = write_text(p, kScheme);
    p = hosts_.write(index / kHomeEvery, p);
    *p++ = '/';
    return p;
  }
  return write_page({pages_(index), kBits}, p);
}

}  // namespace crivo::gen
