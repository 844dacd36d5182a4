// SPDX-License-Identifier: Apache-2.0
#include "gen/words.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace crivo::gen {
namespace {

enum class Class : std::uint8_t {
  short_token,
  number,
  digits_letters,
  letters_digits,
  vowel_first,
  two,
  three,
  four,
  stretched,
  compound,
};

constexpr unsigned kSlotBits = 6;
constexpr std::uint64_t kSlots = std::uint64_t{1} << kSlotBits;

/// The slots of a class are [first, first + width).
struct Share {
  Class term;
  std::uint8_t first;
  std::uint8_t width;
};

constexpr std::array<Share, 10> kShares = [] {
  std::array<Share, 10> shares = {{{Class::short_token, 0, 1},
                                   {Class::number, 0, 15},
                                   {Class::digits_letters, 0, 6},
                                   {Class::letters_digits, 0, 8},
                                   {Class::vowel_first, 0, 10},
                                   {Class::two, 0, 3},
                                   {Class::three, 0, 17},
                                   {Class::four, 0, 2},
                                   {Class::stretched, 0, 1},
                                   {Class::compound, 0, 1}}};
  std::uint8_t first = 0;
  for (Share& share : shares) {
    share.first = first;
    first = static_cast<std::uint8_t>(first + share.width);
  }
  if (first != kSlots) throw "the classes do not fill the slots";
  return shares;
}();

constexpr std::array<Share, kSlots> kShareOfSlot = [] {
  std::array<Share, kSlots> table{};
  for (const Share& share : kShares) {
    for (unsigned i = 0; i < share.width; ++i) table[share.first + i] = share;
  }
  return table;
}();

constexpr std::uint64_t kAlphabet = 36;
constexpr std::string_view kTokenLetters = "etaoinshrdlucmfwypvbgkjqxz0123456789";
static_assert(kTokenLetters.size() == kAlphabet);

constexpr std::uint64_t kFirstNumber = 1000;  // fewer digits are short tokens
constexpr std::uint64_t kEndOfNumbers = 10'000'000;
constexpr std::uint64_t kFirstLead = 10;  // "10kama" to "9999kama"
constexpr std::uint64_t kEndOfLeads = 10'000;
constexpr std::uint64_t kFirstTail = 10;  // "kamo10" to "kamo999"
constexpr std::uint64_t kEndOfTails = 1000;

constexpr unsigned kTwoBits = 2 * kSyllableBits;
constexpr unsigned kThreeBits = 3 * kSyllableBits;
constexpr unsigned kFourBits = 4 * kSyllableBits;
constexpr unsigned kFiveBits = 5 * kSyllableBits;

constexpr std::uint64_t kShortestCompound = 14;  // three syllables are at most 13 letters

constexpr std::uint64_t values(unsigned bits) {
  return std::uint64_t{1} << bits;
}

/// `count` syllables, the first with an onset that begins words well.
char* write_word(char* p, Bits& bits, unsigned count) noexcept {
  p = write_initial_onset(p, bits.take(kOnsetBits));
  p = write_nucleus(p, bits.take(kNucleusBits));
  return write_syllables(p, bits, count - 1);
}

char* write_word_with_coda(char* p, Bits bits, unsigned count) noexcept {
  p = write_word(p, bits, count);
  return write_coda(p, bits.take(kCodaBits));
}

}  // namespace

Words::Words(std::uint64_t seed) noexcept
    : salt_(derive(seed, 100)),
      slots_(kSlots, derive(seed, 101)),
      short1_(kAlphabet, derive(seed, 102)),
      short2_(kAlphabet * kAlphabet, derive(seed, 103)),
      short3_(kAlphabet * kAlphabet * kAlphabet, derive(seed, 104)),
      numbers_(kEndOfNumbers - kFirstNumber, derive(seed, 105)),
      digits_letters_((kEndOfLeads - kFirstLead) * values(kSyllableBits + kCodaBits),
                      derive(seed, 106)),
      letters_digits_((kEndOfTails - kFirstTail) * values(kTwoBits), derive(seed, 107)),
      vowel_first_(values(kNucleusBits + kTwoBits + kCodaBits), derive(seed, 108)),
      two_(values(kTwoBits + kCodaBits), derive(seed, 109)),
      three_(values(kThreeBits + kCodaBits), derive(seed, 110)),
      four_(values(kFourBits), derive(seed, 111)),
      stretched_(values(kTwoBits + kCodaBits), derive(seed, 112)),
      compounds_(values(kThreeBits), derive(seed, 113)),
      reserve_(values(kFiveBits), derive(seed, 114)) {}

char* Words::write_short_token(char* p, std::uint64_t number) const noexcept {
  std::uint64_t value = 0;
  unsigned size = 1;
  if (number < short1_.size()) {
    value = short1_(number);
  } else if (number - short1_.size() < short2_.size()) {
    value = short2_(number - short1_.size());
    size = 2;
  } else {
    value = short3_(number - short1_.size() - short2_.size());
    size = 3;
  }
  for (; size != 0; --size) {
    *p++ = kTokenLetters[value % kAlphabet];
    value /= kAlphabet;
  }
  return p;
}

char* Words::write_compound(char* p, std::uint64_t value) const noexcept {
  char* const start = p;
  Bits code{value, kThreeBits};
  p = write_word(p, code, 3);
  *p++ = 'x';
  // Everything from here on is a function of the code before it, so it tells nothing new.
  std::uint64_t hash = base::mix64(value ^ salt_);
  const std::uint64_t spread = kMaxSize - kShortestCompound + 1;
  const std::uint64_t one = base::mulhi(hash << 32, spread);
  const std::uint64_t other = base::mulhi((hash >> 16) << 32, spread);
  char* const end = start + kShortestCompound + std::min(one, other);
  while (p < end) {
    p = write_nucleus(p, hash >> 60);
    p = write_medial_onset(p, hash >> 48);
    hash = base::mix64(hash);
  }
  return end;
}

char* Words::write(std::uint64_t index, char* p) const noexcept {
  const std::uint64_t slot = slots_(index % kSlots);
  const Share& share = kShareOfSlot[slot];
  const std::uint64_t number = (index >> kSlotBits) * share.width + (slot - share.first);
  switch (share.term) {
    case Class::short_token:
      if (number >= short1_.size() + short2_.size() + short3_.size()) break;
      return write_short_token(p, number);
    case Class::number:
      if (number >= numbers_.size()) break;
      return write_decimal(p, kFirstNumber + numbers_(number));
    case Class::digits_letters: {
      if (number >= digits_letters_.size()) break;
      const std::uint64_t value = digits_letters_(number);
      Bits letters{value, kSyllableBits + kCodaBits};
      p = write_decimal(p, kFirstLead + (value >> letters.left));
      return write_pseudo_word(p, letters);
    }
    case Class::letters_digits: {
      if (number >= letters_digits_.size()) break;
      const std::uint64_t value = letters_digits_(number);
      Bits letters{value, kTwoBits};
      p = write_word(p, letters, 2);
      return write_decimal(p, kFirstTail + (value >> kTwoBits));
    }
    case Class::vowel_first: {
      if (number >= vowel_first_.size()) break;
      Bits bits{vowel_first_(number), kNucleusBits + kTwoBits + kCodaBits};
      p = write_nucleus(p, bits.take(kNucleusBits));
      p = write_syllables(p, bits, 2);
      return write_coda(p, bits.take(kCodaBits));
    }
    case Class::two:
      if (number >= two_.size()) break;
      return write_word_with_coda(p, {two_(number), kTwoBits + kCodaBits}, 2);
    case Class::three:
      if (number >= three_.size()) break;
      return write_word_with_coda(p, {three_(number), kThreeBits + kCodaBits}, 3);
    case Class::four: {
      if (number >= four_.size()) break;
      Bits bits{four_(number), kFourBits};
      return write_word(p, bits, 4);
    }
    case Class::stretched: {
      if (number >= stretched_.size()) break;
      Bits bits{stretched_(number), kTwoBits + kCodaBits};
      p = write_initial_onset(p, bits.take(kOnsetBits));
      p = write_nucleus(p, bits.take(kNucleusBits));
      p[0] = p[1] = p[-1];
      p = write_syllables(p + 2, bits, 1);
      return write_coda(p, bits.take(kCodaBits));
    }
    case Class::compound:
      if (number >= compounds_.size()) break;
      return write_compound(p, compounds_(number));
  }
  // The index itself is the reserve's number: no two indices share one.
  Bits bits{reserve_(index), kFiveBits};
  return write_word(p, bits, 5);
}

}  // namespace crivo::gen
