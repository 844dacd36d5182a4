// SPDX-License-Identifier: Apache-2.0
#include "hashing/batch_hash.hpp"

#include <array>

namespace crivo::hashing {
namespace {

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

}  // namespace

/// The hash of a key that has so many pairs.
template <unsigned kPairs>
[[gnu::always_inline]] inline Hash128 BatchHash::middle_hash(std::string_view key) const noexcept {
  const auto [hi, lo] = detail::xxh3::of_pairs<kPairs, 2>(key, {seed_, detail::second_seed(seed_)});
  return {hi, lo};
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
    hash_class(own, [this](std::string_view key) { return hash_key(key, seed_); });
  }
}

}  // namespace crivo::hashing
