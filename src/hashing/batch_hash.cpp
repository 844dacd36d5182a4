#include "hashing/batch_hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace crivo::hashing {
namespace {

constexpr std::uint64_t kPrime1 = 0x9e3779b185ebca87U;
constexpr std::uint64_t kPrime2 = 0xc2b2ae3d27d4eb4fU;
constexpr std::uint64_t kPrime4 = 0x85ebca77c2b2ae63U;

/// XXH3's middle lengths are hashed in pairs of 16 bytes, one from either end.
constexpr std::size_t kPairBytes = 32;
constexpr std::size_t kMiddleTo = 128;

/// The classes of length: those of the middle lengths by their pairs, and what XXH3 hashes in other
/// ways.
constexpr std::size_t kMiddleClasses = kMiddleTo / kPairBytes;
constexpr std::size_t kTo3 = kMiddleClasses;
constexpr std::size_t kTo8 = kTo3 + 1;
constexpr std::size_t kTo16 = kTo8 + 1;
constexpr std::size_t kLong = kTo16 + 1;
constexpr std::size_t kClasses = kLong + 1;

constexpr std::array<std::uint8_t, kMiddleTo + 1> kClassOf = [] {
  std::array<std::uint8_t, kMiddleTo + 1> classes{};
  for (std::size_t size = 0; size <= kMiddleTo; ++size) {
    classes[size] = static_cast<std::uint8_t>(size <= 3    ? kTo3
                                              : size <= 8  ? kTo8
                                              : size <= 16 ? kTo16
                                                           : (size - 1) / kPairBytes);
  }
  return classes;
}();

std::uint64_t load(const char* bytes) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) noexcept {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t mix16(const char* bytes, const std::uint64_t* secret) noexcept {
  return folded_product(load(bytes) ^ secret[0], load(bytes + 8) ^ secret[1]);
}

std::uint64_t avalanche(std::uint64_t x) noexcept {
  x ^= x >> 37;
  x *= 0x165667919e3779f9U;
  return x ^ x >> 32;
}

Hash128 plain_hash(std::string_view key, std::uint64_t seed) noexcept {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(key.data(), key.size(), seed);
  return {hash.high64, hash.low64};
}

}  // namespace

BatchHash::BatchHash(std::uint64_t seed) noexcept : seed_(seed) {
  std::array<char, XXH3_SECRET_DEFAULT_SIZE> secret{};
  XXH3_generateSecret_fromSeed(secret.data(), seed);
  for (std::size_t i = 0; i < secret_.size(); ++i) secret_[i] = load(secret.data() + 8 * i);
}

/// XXH3-128 of a key that has so many pairs.
template <unsigned kPairs>
[[gnu::always_inline]] inline Hash128 BatchHash::middle_hash(std::string_view key) const noexcept {
  const char* const begin = key.data();
  const char* const end = begin + key.size();
  std::uint64_t low = key.size() * kPrime1;
  std::uint64_t high = 0;
  for (unsigned pair = kPairs; pair-- != 0;) {
    const char* const left = begin + 16 * pair;
    const char* const right = end - 16 * (pair + 1);
    low += mix16(left, secret_.data() + 4 * pair);
    low ^= load(right) + load(right + 8);
    high += mix16(right, secret_.data() + 4 * pair + 2);
    high ^= load(left) + load(left + 8);
  }
  const std::uint64_t last = low * kPrime1 + high * kPrime4 + (key.size() - seed_) * kPrime2;
  return {0 - avalanche(last), avalanche(low + high)};
}

void BatchHash::operator()(std::span<const std::string_view> keys, Hash128* hashes) const noexcept {
  static_assert(kMostKeys <= 256);  // a byte numbers a key
  std::array<std::array<std::uint8_t, kMostKeys>, kClasses> members;
  std::array<std::uint32_t, kClasses> sizes{};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t size = keys[i].size();
    const std::size_t own = size <= kMiddleTo ? kClassOf[size] : kLong;
    members[own][sizes[own]++] = static_cast<std::uint8_t>(i);
  }
  const auto hash_class = [&](std::size_t own, const auto& hash) {
    for (std::uint32_t j = 0; j < sizes[own]; ++j) {
      const std::size_t i = members[own][j];
      hashes[i] = hash(keys[i]);
    }
  };
  hash_class(0, [this](std::string_view key) { return middle_hash<1>(key); });
  hash_class(1, [this](std::string_view key) { return middle_hash<2>(key); });
  hash_class(2, [this](std::string_view key) { return middle_hash<3>(key); });
  hash_class(3, [this](std::string_view key) { return middle_hash<4>(key); });
  for (std::size_t own = kMiddleClasses; own < kClasses; ++own) {
    hash_class(own, [this](std::string_view key) { return plain_hash(key, seed_); });
  }
}

}  // namespace crivo::hashing
