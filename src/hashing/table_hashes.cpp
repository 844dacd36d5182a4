// SPDX-License-Identifier: Apache-2.0
#include "hashing/table_hashes.hpp"

#include <algorithm>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"

namespace crivo::hashing {
namespace {

Hash128 joined(Lanes words) noexcept {
  return {std::uint64_t{words[0]} << 32 | words[1], std::uint64_t{words[2]} << 32 | words[3]};
}

/// Of a key that has as many bytes as there are weights, or fewer, 0. A longer one is of no set;
/// its first bytes are hashed, and its length so that they alone do not stand for it.
Lanes excess(std::string_view key) noexcept {
  const auto bytes = static_cast<std::uint32_t>(
      key.size() > kMaxTableKeyBytes ? key.size() - kMaxTableKeyBytes : 0);
  return Lanes{} + bytes;
}

std::size_t weighted_bytes(std::string_view key) noexcept {
  return std::min(key.size(), kMaxTableKeyBytes);
}

void stir(Lanes& a, Lanes& b, Lanes& c) noexcept {
  a = (a - b - c) ^ (c >> 13);
  b = (b - c - a) ^ (a << 8);
  c = (c - a - b) ^ (b >> 13);
  a = (a - b - c) ^ (c >> 12);
  b = (b - c - a) ^ (a << 16);
  c = (c - a - b) ^ (b >> 5);
  a = (a - b - c) ^ (c >> 3);
  b = (b - c - a) ^ (a << 10);
  c = (c - a - b) ^ (b >> 15);
}

/// The little-endian number of up to four bytes.
std::uint32_t partial_word(const char* bytes, std::size_t count) noexcept {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < count; ++i) {
    word |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return word;
}

}  // namespace

std::uint32_t WeightGenerator::next() noexcept {
  state_ += 0x9e3779b97f4a7c15U;
  return static_cast<std::uint32_t>(base::mix64(state_) >> 32);
}

Lanes WeightGenerator::next_lanes() noexcept {
  Lanes lanes{};
  for (int i = 0; i < 4; ++i) lanes[i] = next();
  return lanes;
}

UniversalHash::UniversalHash(std::uint64_t seed) : weights_(kMaxTableKeyBytes) {
  WeightGenerator generator(seed);
  for (Lanes& weights : weights_) weights = generator.next_lanes();
}

Hash128 UniversalHash::operator()(std::string_view key) const noexcept {
  Lanes sum = excess(key);
  for (std::size_t i = 0; i < weighted_bytes(key); ++i) {
    sum += weights_[i] * static_cast<unsigned char>(key[i]);
  }
  return joined(sum);
}

ZobristHash::ZobristHash(std::uint64_t seed) : weights_(kMaxTableKeyBytes << 8) {
  WeightGenerator generator(seed);
  for (Lanes& weights : weights_) weights = generator.next_lanes();
}

Hash128 ZobristHash::operator()(std::string_view key) const noexcept {
  Lanes sum = excess(key);
  for (std::size_t i = 0; i < weighted_bytes(key); ++i) {
    sum += weights_[i << 8 | static_cast<unsigned char>(key[i])];
  }
  return joined(sum);
}

JenkinsHash::JenkinsHash(std::uint64_t seed) noexcept
    : initial_(WeightGenerator(seed).next_lanes()) {}

Hash128 JenkinsHash::operator()(std::string_view key) const noexcept {
  constexpr std::uint32_t kGoldenRatio = 0x9e3779b9U;
  Lanes a = Lanes{} + kGoldenRatio;
  Lanes b = a;
  Lanes c = initial_;
  const char* at = key.data();
  std::size_t left = key.size();
  for (; left >= 12; left -= 12, at += 12) {
    a += base::load_le<std::uint32_t>(at);
    b += base::load_le<std::uint32_t>(at + 4);
    c += base::load_le<std::uint32_t>(at + 8);
    stir(a, b, c);
  }
  // The lowest byte of c is the length's.
  c += static_cast<std::uint32_t>(key.size());
  const auto rest = [&](std::size_t begin, std::size_t most) {
    return left > begin ? partial_word(at + begin, std::min(left - begin, most)) : 0;
  };
  a += rest(0, 4);
  b += rest(4, 4);
  c += rest(8, 3) << 8;
  stir(a, b, c);
  return joined(c);
}

}  // namespace crivo::hashing
