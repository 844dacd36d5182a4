// SPDX-License-Identifier: Apache-2.0
#include "hashing/sha256.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/bytes.hpp"

namespace crivo::hashing {
namespace {

constexpr std::size_t kRounds = 64;
constexpr std::size_t kBlockBytes = Sha256::kBlockBytes;

/// The first 32 bits of the fractional parts of the square roots of the first 8 primes.
constexpr Sha256::State kBegin{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
/// Those of the cube roots of the first 64.
alignas(16) constexpr std::array<std::uint32_t, kRounds> kRoundConstants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void add_to_portably(Sha256::State& state, const std::byte* blocks, std::size_t count) noexcept {
  for (; count != 0; --count, blocks += kBlockBytes) {
    std::array<std::uint32_t, kRounds> words;
    for (std::size_t i = 0; i < 16; ++i) words[i] = base::load_be<std::uint32_t>(blocks + 4 * i);
    for (std::size_t i = 16; i < kRounds; ++i) {
      const std::uint32_t x = words[i - 15];
      const std::uint32_t y = words[i - 2];
      words[i] = words[i - 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3) + words[i - 7] +
                 (std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10);
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < kRounds; ++i) {
      const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                  ((e & f) ^ (~e & g)) + kRoundConstants[i] + words[i];
      const std::uint32_t second =
          (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + first;
      d = c;
      c = b;
      b = a;
      a = first + second;
    }
    const Sha256::State after{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state.size(); ++i) state[i] += after[i];
  }
}

template <std::size_t kStates>
void add_blocks_portable(Sha256::State* states, const std::byte* const* blocks,
                         std::size_t count) noexcept {
  for (std::size_t s = 0; s < kStates; ++s) add_to_portably(states[s], blocks[s], count);
}

#if defined(__x86_64__)

bool has_sha_instructions() noexcept {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & bit_SHA) != 0 &&
         __builtin_cpu_supports("sse4.1");
}

/// A state as the instructions take it: (a, b, e, f) and (c, d, g, h), the first in the highest
/// lane.
struct Halves {
  __m128i abef;
  __m128i cdgh;
};

#define CRIVO_SHA __attribute__((target("sha,sse4.1,ssse3")))

CRIVO_SHA inline __m128i load(const void* at) noexcept {
  return _mm_loadu_si128(static_cast<const __m128i*>(at));
}

CRIVO_SHA inline Halves halves_of(const Sha256::State& state) noexcept {
  const __m128i badc = _mm_shuffle_epi32(load(state.data()), 0xb1);
  const __m128i hgfe = _mm_shuffle_epi32(load(state.data() + 4), 0x1b);
  return {_mm_alignr_epi8(badc, hgfe, 8), _mm_blend_epi16(hgfe, badc, 0xf0)};
}

CRIVO_SHA inline void store(const Halves& halves, Sha256::State& state) noexcept {
  const __m128i feba = _mm_shuffle_epi32(halves.abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(halves.cdgh, 0xb1);
  auto* const to = reinterpret_cast<__m128i*>(state.data());
  _mm_storeu_si128(to, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(to + 1, _mm_alignr_epi8(dchg, feba, 8));
}

/// Four rounds, of the block's words from 4 i on; `words` has the last sixteen.
CRIVO_SHA inline void add_rounds(Halves& halves, __m128i (&words)[4], const std::byte* block,
                                 std::size_t i) noexcept {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i& now = words[i % 4];
  if (i < 4) {
    now = _mm_shuffle_epi8(load(block + 16 * i), big_endian);
  } else {
    const __m128i last = words[(i + 3) % 4];
    const __m128i sevenths = _mm_alignr_epi8(last, words[(i + 2) % 4], 4);
    now = _mm_add_epi32(_mm_sha256msg1_epu32(now, words[(i + 1) % 4]), sevenths);
    now = _mm_sha256msg2_epu32(now, last);
  }
  const __m128i added = _mm_add_epi32(now, load(kRoundConstants.data() + 4 * i));
  halves.cdgh = _mm_sha256rnds2_epu32(halves.cdgh, halves.abef, added);
  halves.abef = _mm_sha256rnds2_epu32(halves.abef, halves.cdgh, _mm_shuffle_epi32(added, 0x0e));
}

// A round waits for the one before it: two states by turns take little longer than one.
template <std::size_t kStates>
CRIVO_SHA void add_blocks_sha(Sha256::State* states, const std::byte* const* blocks,
                              std::size_t count) noexcept {
  Halves halves[kStates];
  for (std::size_t s = 0; s < kStates; ++s) halves[s] = halves_of(states[s]);
  for (std::size_t at = 0; at < count * kBlockBytes; at += kBlockBytes) {
    Halves before[kStates];
    __m128i words[kStates][4];
    for (std::size_t s = 0; s < kStates; ++s) before[s] = halves[s];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kRounds / 4; ++i) {
#pragma GCC unroll 2
      for (std::size_t s = 0; s < kStates; ++s) add_rounds(halves[s], words[s], blocks[s] + at, i);
    }
    for (std::size_t s = 0; s < kStates; ++s) {
      halves[s].abef = _mm_add_epi32(halves[s].abef, before[s].abef);
      halves[s].cdgh = _mm_add_epi32(halves[s].cdgh, before[s].cdgh);
    }
  }
  for (std::size_t s = 0; s < kStates; ++s) store(halves[s], states[s]);
}

#undef CRIVO_SHA

#endif

Sha256::Kernels quickest([[maybe_unused]] base::Cpu cpu) noexcept {
#if defined(__x86_64__)
  static const bool kHasInstructions = has_sha_instructions();
  if (cpu > base::Cpu::portable && kHasInstructions) return {add_blocks_sha<1>, add_blocks_sha<2>};
#endif
  return {add_blocks_portable<1>, add_blocks_portable<2>};
}

}  // namespace

Sha256::Sha256(base::Cpu cpu) : kernels_(quickest(cpu)) {
  reset();
}

void Sha256::reset() noexcept {
  state_ = kBegin;
  bytes_ = 0;
}

Sha256& Sha256::add(base::ByteView piece) noexcept {
  if (piece.empty()) return *this;
  const std::size_t had = bytes_ % kBlockBytes;
  bytes_ += piece.size();
  if (had != 0) {
    const std::size_t size = std::min(piece.size(), kBlockBytes - had);
    std::memcpy(begun_.data() + had, piece.data(), size);
    piece = piece.subspan(size);
    if (had + size < kBlockBytes) return *this;
    add_blocks(begun_.data(), 1);
  }
  const std::size_t blocks = piece.size() / kBlockBytes;
  if (blocks != 0) add_blocks(piece.data(), blocks);
  const base::ByteView rest = piece.subspan(blocks * kBlockBytes);
  if (!rest.empty()) std::memcpy(begun_.data(), rest.data(), rest.size());
  return *this;
}

Sha256::LastBlocks Sha256::last_blocks() const noexcept {
  constexpr std::size_t kLengthBytes = 8;
  LastBlocks last{};
  const std::size_t had = bytes_ % kBlockBytes;
  std::memcpy(last.bytes.data(), begun_.data(), had);
  last.bytes[had] = std::byte{0x80};
  last.count = had + 1 + kLengthBytes <= kBlockBytes ? 1 : 2;
  base::store_be(last.bytes.data() + last.count * kBlockBytes - kLengthBytes, 8 * bytes_);
  return last;
}

namespace {

Sha256Value value_of(const Sha256::State& state) noexcept {
  Sha256Value value;
  for (std::size_t i = 0; i < state.size(); ++i) base::store_be(value.data() + 4 * i, state[i]);
  return value;
}

}  // namespace

Sha256Value Sha256::value() const noexcept {
  const LastBlocks last = last_blocks();
  State state = state_;
  const std::byte* const begin = last.bytes.data();
  kernels_.of_one(&state, &begin, last.count);
  return value_of(state);
}

std::array<Sha256Value, 2> Sha256::of_both(base::ByteView first, base::ByteView second,
                                           base::Cpu cpu) {
  Sha256 one(cpu);
  Sha256 two(cpu);
  const std::size_t blocks = std::min(first.size(), second.size()) / kBlockBytes;
  if (blocks != 0) {
    std::array<State, 2> states{one.state_, two.state_};
    const std::array<const std::byte*, 2> begins{first.data(), second.data()};
    one.kernels_.of_two(states.data(), begins.data(), blocks);
    one.state_ = states[0];
    two.state_ = states[1];
  }
  const std::size_t done = blocks * kBlockBytes;
  one.bytes_ = two.bytes_ = done;
  one.add(first.subspan(done));
  two.add(second.subspan(done));
  const LastBlocks last = one.last_blocks();
  const LastBlocks other = two.last_blocks();
  if (last.count != other.count) return {one.value(), two.value()};
  std::array<State, 2> states{one.state_, two.state_};
  const std::array<const std::byte*, 2> begins{last.bytes.data(), other.bytes.data()};
  one.kernels_.of_two(states.data(), begins.data(), last.count);
  return {value_of(states[0]), value_of(states[1])};
}

Sha256Value sha256(base::ByteView bytes) {
  return Sha256().add(bytes).value();
}

}  // namespace crivo::hashing
