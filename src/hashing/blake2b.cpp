// SPDX-License-Identifier: Apache-2.0
#include "hashing/blake2b.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace crivo::hashing {
namespace {

/// The first 64 bits of the fractional parts of the square roots of the first 8 primes.
constexpr std::array<std::uint64_t, 8> kBlakeBegin{
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

/// In which order each round takes the words of a block; rounds 10 and 11 are as 0 and 1.
constexpr std::array<std::array<std::uint8_t, 16>, 10> kOrders{{
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}};
constexpr std::size_t kBlakeRounds = 12;

inline void mix(std::uint64_t& a, std::uint64_t& b, std::uint64_t& c, std::uint64_t& d,
                std::uint64_t x, std::uint64_t y) noexcept {
  a += b + x;
  d = std::rotr(d ^ a, 32);
  c += d;
  b = std::rotr(b ^ c, 24);
  a += b + y;
  d = std::rotr(d ^ a, 16);
  c += d;
  b = std::rotr(b ^ c, 63);
}

}  // namespace

Blake2b::Blake2b(std::size_t bytes) noexcept : state_(kBlakeBegin) {
  state_[0] ^= 0x01010000 ^ bytes;  // neither key nor tree
}

void Blake2b::add_block(const std::byte* block, std::size_t bytes, bool is_last) noexcept {
  bytes_ += bytes;
  std::array<std::uint64_t, 16> m;
  for (std::size_t i = 0; i < m.size(); ++i) m[i] = base::load_le<std::uint64_t>(block + 8 * i);
  std::array<std::uint64_t, 16> v;
  std::ranges::copy(state_, v.begin());
  std::ranges::copy(kBlakeBegin, v.begin() + 8);
  v[12] ^= bytes_;
  if (is_last) v[14] = ~v[14];
#pragma GCC unroll 12
  for (std::size_t round = 0; round < kBlakeRounds; ++round) {
    const auto& order = kOrders[round % kOrders.size()];
    mix(v[0], v[4], v[8], v[12], m[order[0]], m[order[1]]);
    mix(v[1], v[5], v[9], v[13], m[order[2]], m[order[3]]);
    mix(v[2], v[6], v[10], v[14], m[order[4]], m[order[5]]);
    mix(v[3], v[7], v[11], v[15], m[order[6]], m[order[7]]);
    mix(v[0], v[5], v[10], v[15], m[order[8]], m[order[9]]);
    mix(v[1], v[6], v[11], v[12], m[order[10]], m[order[11]]);
    mix(v[2], v[7], v[8], v[13], m[order[12]], m[order[13]]);
    mix(v[3], v[4], v[9], v[14], m[order[14]], m[order[15]]);
  }
  for (std::size_t i = 0; i < state_.size(); ++i) state_[i] ^= v[i] ^ v[i + 8];
}

Blake2b& Blake2b::add(base::ByteView piece) noexcept {
  while (!piece.empty()) {
    if (begun_bytes_ == kBlockBytes) {  // more comes after it
      add_block(begun_.data(), kBlockBytes, false);
      begun_bytes_ = 0;
    }
    while (begun_bytes_ == 0 && piece.size() > kBlockBytes) {
      add_block(piece.data(), kBlockBytes, false);
      piece = piece.subspan(kBlockBytes);
    }
    const std::size_t size = std::min(piece.size(), kBlockBytes - begun_bytes_);
    std::memcpy(begun_.data() + begun_bytes_, piece.data(), size);
    begun_bytes_ += size;
    piece = piece.subspan(size);
  }
  return *this;
}

Blake2b::Value Blake2b::finish() noexcept {
  std::fill(begun_.begin() + static_cast<std::ptrdiff_t>(begun_bytes_), begun_.end(), std::byte{0});
  add_block(begun_.data(), begun_bytes_, true);
  Value value;
  for (std::size_t i = 0; i < state_.size(); ++i) base::store_le(value.data() + 8 * i, state_[i]);
  return value;
}

}  // namespace crivo::hashing
