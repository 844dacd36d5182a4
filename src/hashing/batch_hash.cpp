// SPDX-License-Identifier: Apache-2.0
#include "hashing/batch_hash.hpp"

#include <array>

#include "base/cpu.hpp"

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

template <unsigned kPairs>
void hash_all(const std::string_view* keys, std::span<const std::uint8_t> members,
              const detail::xxh3::PreparedSeed& seed, Hash128* hashes) noexcept {
  for (const std::size_t i : members) {
    const detail::xxh3::Sums sums = detail::xxh3::sums_of_pairs<kPairs>(keys[i], seed);
    hashes[i] = {sums.first(), sums.second()};
  }
}

const BatchHash::HashPairs* hash_pairs([[maybe_unused]] base::Cpu cpu) noexcept {
#if defined(__x86_64__)
  if (cpu == base::Cpu::avx512) return hash_pairs_avx512();
#endif
  static constexpr BatchHash::HashPairs kPortable[] = {&hash_all<1>, &hash_all<2>, &hash_all<3>,
                                                       &hash_all<4>};
  return kPortable;
}

}  // namespace

BatchHash::BatchHash(std::uint64_t seed) : seed_(seed), hash_pairs_(hash_pairs(base::cpu())) {}

void BatchHash::operator()(std::span<const std::string_view> keys, Hash128* hashes) const noexcept {
  static_assert(kMostKeys <= 256);  // a byte numbers a key
  std::array<std::array<std::uint8_t, kMostKeys>, kClasses> members;
  std::array<std::uint32_t, kClasses> sizes{};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t size = keys[i].size();
    const std::size_t own = size <= kMiddleTo ? kClassOf[size] : kLong;
    members[own][sizes[own]++] = static_cast<std::uint8_t>(i);
  }
  const auto members_of = [&](std::size_t own) {
    return std::span<const std::uint8_t>(members[own]).first(sizes[own]);
  };
  for (std::size_t own = 0; own < kMiddleClasses; ++own) {
    hash_pairs_[own](keys.data(), members_of(own), seed_, hashes);
  }
  for (std::size_t own = kMiddleClasses; own < kClasses; ++own) {
    for (const std::size_t i : members_of(own)) hashes[i] = hash_key(keys[i], seed_);
  }
}

}  // namespace crivo::hashing
