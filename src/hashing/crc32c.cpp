// SPDX-License-Identifier: Apache-2.0
#include "hashing/crc32c.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace crivo::hashing {
namespace {

// Polynomials over GF(2) modulo Castagnoli's, the coefficient of x^31 in the lowest bit.
constexpr std::uint32_t kPolynomial = 0x82f63b78;

constexpr std::uint32_t times_x(std::uint32_t p) noexcept {
  return p >> 1 ^ (p % 2 != 0 ? kPolynomial : 0);
}

constexpr std::size_t kWordBytes = 8;

std::uint64_t word_at(const std::byte* bytes) noexcept {
  return base::load_le<std::uint64_t>(bytes);
}

/// How many bytes come first, 1 to 8 (of at least one), so that whole words are left.
std::size_t first_bytes(base::ByteView bytes) noexcept {
  return (bytes.size() - 1) % kWordBytes + 1;
}

/// Those, with zeros before them.
std::uint64_t first_word(base::ByteView bytes) noexcept {
  const std::size_t size = first_bytes(bytes);
  if (bytes.size() >= kWordBytes) return word_at(bytes.data()) << 8 * (kWordBytes - size);
  std::array<std::byte, kWordBytes> word{};
  std::memcpy(word.data() + kWordBytes - size, bytes.data(), size);
  return word_at(word.data());
}

// [i][b]: what byte b adds to the register once i more bytes have followed it.
using ByteTables = std::array<std::array<std::uint32_t, 256>, kWordBytes>;

ByteTables make_byte_tables() noexcept {
  ByteTables tables{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t state = b;
    for (int bit = 0; bit < 8; ++bit) state = times_x(state);
    tables[0][b] = state;
  }
  for (std::size_t i = 1; i < kWordBytes; ++i) {
    for (std::size_t b = 0; b < 256; ++b) {
      const std::uint32_t state = tables[i - 1][b];
      tables[i][b] = state >> 8 ^ tables[0][state & 0xff];
    }
  }
  return tables;
}

std::uint32_t add_word(const ByteTables& tables, std::uint32_t state, std::uint64_t word) noexcept {
  word ^= state;
  state = 0;
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    state ^= tables[kWordBytes - 1 - i][word >> 8 * i & 0xff];
  }
  return state;
}

std::uint32_t crc32c_portable(base::ByteView bytes, std::uint64_t number) noexcept {
  // Made at the first use: in the file they would be 8 KiB, which few processors need.
  static const ByteTables kTables = make_byte_tables();
  std::uint32_t state = 0;
  if (!bytes.empty()) {
    state = add_word(kTables, state, first_word(bytes));
    for (std::size_t at = first_bytes(bytes); at < bytes.size(); at += kWordBytes) {
      state = add_word(kTables, state, word_at(bytes.data() + at));
    }
  }
  return ~add_word(kTables, add_word(kTables, state, bytes.size()), number);
}

#if defined(__x86_64__)

/// x^n.
constexpr std::uint32_t power_of_x(unsigned n) noexcept {
  std::uint32_t power = 0x80000000;
  for (; n != 0; --n) power = times_x(power);
  return power;
}

/// The result, from the register after the bytes.
__attribute__((target("sse4.2"))) std::uint32_t closed(std::uint64_t state, std::uint64_t size,
                                                       std::uint64_t number) noexcept {
  return ~static_cast<std::uint32_t>(_mm_crc32_u64(_mm_crc32_u64(state, size), number));
}

// The instruction takes a word each cycle, but gives its register after three: three streams, of so
// many words each at most, are as quick as it can go. Of fewer than kLeastStream they gain nothing.
constexpr std::size_t kStreams = 3;
constexpr std::size_t kMostStream = 128;
constexpr std::size_t kLeastStream = 10;

// [w - 1]: x^(64 w - 33). The product of a register and it, taken as a word by the instruction, is
// the register after w words of zeros.
constexpr auto kPastWords = [] {
  std::array<std::uint32_t, (kStreams - 1) * kMostStream> past{};
  std::uint32_t power = power_of_x(64 - 33);
  for (std::uint32_t& p : past) {
    p = power;
    for (int i = 0; i < 64; ++i) power = times_x(power);
  }
  return past;
}();

#define CRIVO_CRC_WORDS __attribute__((target("sse4.2,pclmul")))

CRIVO_CRC_WORDS inline __m128i past_words(std::uint64_t state, std::size_t words) noexcept {
  return _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<long long>(state)),
                              _mm_cvtsi64_si128(kPastWords[words - 1]), 0);
}

CRIVO_CRC_WORDS std::uint32_t crc32c_words(base::ByteView bytes, std::uint64_t number) noexcept {
  if (bytes.empty()) return closed(0, 0, number);
  std::uint64_t state = _mm_crc32_u64(0, first_word(bytes));
  const std::byte* at = bytes.data() + first_bytes(bytes);
  std::size_t words = (bytes.size() - first_bytes(bytes)) / kWordBytes;
  while (words >= kStreams * kLeastStream) {
    const std::size_t each = std::min(words / kStreams, kMostStream);
    const std::byte* const second = at + kWordBytes * each;
    const std::byte* const third = second + kWordBytes * each;
    std::uint64_t state2 = 0;
    std::uint64_t state3 = 0;
    for (std::size_t i = 0; i < kWordBytes * each; i += kWordBytes) {
      state = _mm_crc32_u64(state, word_at(at + i));
      state2 = _mm_crc32_u64(state2, word_at(second + i));
      state3 = _mm_crc32_u64(state3, word_at(third + i));
    }
    const __m128i before = _mm_xor_si128(past_words(state, 2 * each), past_words(state2, each));
    state = state3 ^ _mm_crc32_u64(0, static_cast<std::uint64_t>(_mm_cvtsi128_si64(before)));
    at = third + kWordBytes * each;
    words -= kStreams * each;
  }
  for (; words != 0; --words, at += kWordBytes) state = _mm_crc32_u64(state, word_at(at));
  return closed(state, bytes.size(), number);
}

#define CRIVO_CRC_BLOCKS \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,sse4.2,pclmul,vpclmulqdq")))

constexpr std::size_t kCrcBlock = 64;

/// The factors by which two words of 16 bytes are brought over so many bits that follow them. The
/// product of words, of 64 coefficients each, the highest in the lowest bit, has its power one too
/// low.
struct Over {
  explicit constexpr Over(unsigned bits)
      : first(static_cast<long long>(std::uint64_t{power_of_x(bits + 63)} << 32)),
        second(static_cast<long long>(std::uint64_t{power_of_x(bits - 1)} << 32)) {}
  long long first;
  long long second;
};

template <unsigned kBlocks>
CRIVO_CRC_BLOCKS inline __m512i over_blocks() noexcept {
  static constexpr Over kOver(kBlocks * 8 * kCrcBlock);
  return _mm512_set4_epi64(kOver.second, kOver.first, kOver.second, kOver.first);
}
/// Each of a block's four lanes of 16 bytes over those that follow it, and 0 for the last.
CRIVO_CRC_BLOCKS inline __m512i over_lanes() noexcept {
  static constexpr Over kOne(128);
  static constexpr Over kTwo(2 * 128);
  static constexpr Over kThree(3 * 128);
  return _mm512_set_epi64(0, 0, kOne.second, kOne.first, kTwo.second, kTwo.first, kThree.second,
                          kThree.first);
}
/// Lane by lane: the block, brought over what `over` stands for, and `next`.
CRIVO_CRC_BLOCKS inline __m512i folded(__m512i block, __m512i over, __m512i next) noexcept {
  return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(block, over, 0x00),
                                   _mm512_clmulepi64_epi128(block, over, 0x11), next, 0x96);
}
CRIVO_CRC_BLOCKS inline __m512i block_at(const std::byte* bytes) noexcept {
  return _mm512_loadu_si512(bytes);
}

/// The first bytes, 1 to 64 of them, with zeros before them, so that whole blocks are left. No line
/// of memory before them is touched, which is seldom at hand where that of the bytes was asked for.
CRIVO_CRC_BLOCKS inline __m512i first_block(base::ByteView bytes, std::size_t first) noexcept {
  alignas(kCrcBlock) static constexpr auto kPlaces = [] {
    std::array<std::uint8_t, kCrcBlock> places{};
    for (std::size_t i = 0; i < kCrcBlock; ++i) places[i] = static_cast<std::uint8_t>(i);
    return places;
  }();
  const std::size_t zeros = kCrcBlock - first;
  const __m512i from = _mm512_sub_epi8(_mm512_load_si512(kPlaces.data()),
                                       _mm512_set1_epi8(static_cast<char>(zeros)));
  const __m512i block = bytes.size() >= kCrcBlock
                            ? block_at(bytes.data())
                            : _mm512_maskz_loadu_epi8(~std::uint64_t{0} >> zeros, bytes.data());
  return _mm512_maskz_permutexvar_epi8(~std::uint64_t{0} << zeros, from, block);
}

// Blocks of 64 bytes, each brought over the next; of long inputs four at a time, as a product is
// begun each cycle, but there after some.
CRIVO_CRC_BLOCKS std::uint32_t crc32c_blocks(base::ByteView bytes, std::uint64_t number) noexcept {
  constexpr std::ptrdiff_t kFour = 4 * kCrcBlock;
  if (bytes.empty()) return closed(0, 0, number);
  const std::size_t first = (bytes.size() - 1) % kCrcBlock + 1;
  const std::byte* at = bytes.data() + first;
  const std::byte* const end = bytes.data() + bytes.size();
  __m512i block = first_block(bytes, first);
  if (end - at >= 2 * kFour) {
    __m512i block2 = block_at(at);
    __m512i block3 = block_at(at + kCrcBlock);
    __m512i block4 = block_at(at + 2 * kCrcBlock);
    for (at += 3 * kCrcBlock; end - at >= kFour; at += kFour) {
      block = folded(block, over_blocks<4>(), block_at(at));
      block2 = folded(block2, over_blocks<4>(), block_at(at + kCrcBlock));
      block3 = folded(block3, over_blocks<4>(), block_at(at + 2 * kCrcBlock));
      block4 = folded(block4, over_blocks<4>(), block_at(at + 3 * kCrcBlock));
    }
    block3 = folded(block3, over_blocks<1>(), block4);
    block = folded(block, over_blocks<3>(), folded(block2, over_blocks<2>(), block3));
  }
  for (; at != end; at += kCrcBlock) block = folded(block, over_blocks<1>(), block_at(at));
  // The lanes become one, of two words. (The masks are of all: gcc 12 takes what the forms without
  // them leave open for a mistake.)
  block = folded(block, over_lanes(), _mm512_maskz_mov_epi64(0xc0, block));
  block = _mm512_xor_si512(block, _mm512_maskz_shuffle_i64x2(0xff, block, block, 0xb1));
  block = _mm512_xor_si512(block, _mm512_maskz_shuffle_i64x2(0xff, block, block, 0x4e));
  const std::uint64_t state = _mm_crc32_u64(0, static_cast<std::uint64_t>(block[0]));
  return closed(_mm_crc32_u64(state, static_cast<std::uint64_t>(block[1])), bytes.size(), number);
}

#endif

}  // namespace

Crc32c crc32c([[maybe_unused]] base::Cpu cpu) {
#if defined(__x86_64__)
  if (cpu >= base::Cpu::avx2 && __builtin_cpu_supports("sse4.2") &&
      __builtin_cpu_supports("pclmul")) {
    if (cpu >= base::Cpu::avx512 && __builtin_cpu_supports("avx512vbmi") &&
        __builtin_cpu_supports("vpclmulqdq")) {
      return crc32c_blocks;
    }
    return crc32c_words;
  }
#endif
  return crc32c_portable;
}

}  // namespace crivo::hashing
