// SPDX-License-Identifier: Apache-2.0
/// Keys that collide in both halves of the key hash, as an adversary makes them who knows the seed.
#pragma once

// For XXH3_generateSecret_fromSeed().
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "hashing/hash128.hpp"

namespace crivo::input {

/// A search for two keys that have one hash under each of some seeds, of which each has a second
/// one for the second half.
///
/// Of a key of more than 240 bytes every 8, v, are added to one sum, and low32(v ^ s) * high32(v ^
/// s) to the one beside it, where s are 8 bytes of a secret that the seed makes. The keys differ in
/// the top bit of the first 8 bytes of kStripes stripes, of 64 bytes each. As kStripes is even, the
/// first sum is the same. The second is, if those low32(v ^ s) cancel, which are added 2^31 times
/// where the bit is set and taken away where it is cleared: one equation mod 2^33 for each seed,
/// solved from the lowest bit up.
class CollidingKeys {
 public:
  static constexpr std::size_t kKeyBytes = 1000;
  static constexpr unsigned kStripes = 12;

  CollidingKeys(const std::vector<std::uint64_t>& seeds, std::uint64_t salt) : random_(salt) {
    for (const std::uint64_t first : seeds) {
      for (const std::uint64_t seed : {first, detail::second_seed(first)}) {
        std::array<char, kSecretBytes> secret{};
        XXH3_generateSecret_fromSeed(secret.data(), seed);
        Words& words = secrets_.emplace_back();
        std::memcpy(words.data(), secret.data(), sizeof words);
      }
    }
    do {
      tries_left_ = 1'000'000;  // the top bits may leave no solution
      for (std::uint64_t& value : values_) {
        value = 0x6b6b6b6b'00000000U | (random_() & 1) << 63;  // "kkkk", and a top bit
      }
    } while (!solve(0, std::vector<std::int64_t>(secrets_.size())) || is_cut());
  }

  /// Without LF, NUL or TAB.
  std::pair<std::string, std::string> get() const { return {key(0), key(std::uint64_t{1} << 63)}; }

 private:
  static constexpr std::size_t kSecretBytes = 192;
  using Words = std::array<std::uint64_t, kStripes>;

  /// Chooses the bits from `bit` on; `sums` are what the equations come to with those before.
  bool solve(unsigned bit, const std::vector<std::int64_t>& sums) {
    for (const std::int64_t sum : sums) {
      if (bit != 0 && (sum >> (bit - 1) & 1) != 0) return false;
    }
    if (bit == 32) {
      for (const std::int64_t sum : sums) {
        if ((sum >> 32 & 1) != 0) return false;
      }
      return true;
    }
    for (int attempt = 0; attempt < 3 << secrets_.size() && tries_left_ > 0; ++attempt) {
      --tries_left_;
      const std::uint64_t choice = random_();
      std::vector<std::int64_t> next = sums;
      for (unsigned j = 0; j < kStripes; ++j) {
        const std::uint64_t mask = std::uint64_t{1} << bit;
        values_[j] = (values_[j] & ~mask) | (choice >> j & 1) << bit;
        for (std::size_t q = 0; q < secrets_.size(); ++q) {
          const std::uint64_t mixed = values_[j] ^ secrets_[q][j];
          const auto term = static_cast<std::int64_t>(mixed & mask);
          next[q] += mixed >> 63 != 0 ? -term : term;
        }
      }
      if (solve(bit + 1, next)) return true;
    }
    return false;
  }

  bool is_cut() const {
    return get().first.find_first_of(std::string("\n\t\0", 3)) != std::string::npos;
  }

  std::string key(std::uint64_t flipped) const {
    std::string key(kKeyBytes, 'k');
    for (unsigned j = 0; j < kStripes; ++j) {
      const std::uint64_t value = values_[j] ^ flipped;
      std::memcpy(key.data() + std::size_t{64} * j, &value, sizeof value);
    }
    return key;
  }

  std::mt19937_64 random_;
  std::vector<Words> secrets_;
  Words values_{};
  int tries_left_ = 0;
};

/// `pairs` pairs of keys, of which some share the first half of their hash under most seeds, though
/// none is known. (For both halves it would take some 2^33 keys.)
///
/// The two of a pair differ in the top bit of the first 8 bytes of stripes 0 and 12, v and w. By
/// the above they collide where the top bits of v ^ s and w ^ t differ and the lower halves do not,
/// s and t being words 0 and 12 of the secret. Those are two constants plus the seed: of v ^ w,
/// which must be as s ^ t has it but for the top bit, few values come with most seeds.
inline std::vector<std::string> keys_that_defeat_seeds(std::size_t pairs) {
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  std::array<std::uint64_t, 24> secret{};
  XXH3_generateSecret_fromSeed(secret.data(), 0);
  std::mt19937_64 random(1);
  std::map<std::uint64_t, unsigned> seen;
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t seed = random();
    ++seen[((secret[0] + seed) ^ (secret[12] + seed)) & (kTop | 0xffffffff)];
  }
  std::vector<std::pair<unsigned, std::uint64_t>> frequent;
  for (const auto& [difference, count] : seen) frequent.emplace_back(count, difference);
  std::sort(frequent.rbegin(), frequent.rend());
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < std::min(pairs, frequent.size()); ++i) {
    std::string key;
    do {
      const std::uint64_t v = (random() & 0xffffffff) | 0x6b6b6b6b'00000000U;
      const std::uint64_t w = v ^ frequent[i].second ^ kTop;
      key = std::string(900, 'k');
      std::memcpy(key.data(), &v, sizeof v);
      std::memcpy(key.data() + 768, &w, sizeof w);
    } while (key.find_first_of(std::string("\n\t\0", 3)) != std::string::npos);
    keys.push_back(key);
    for (const std::size_t byte : {7U, 775U}) key[byte] = static_cast<char>(key[byte] ^ 0x80);
    keys.push_back(key);
  }
  return keys;
}

/// Two keys that differ and have one hash under each of `seeds`.
inline std::pair<std::string, std::string> keys_that_collide(
    const std::vector<std::uint64_t>& seeds, std::uint64_t salt = 0) {
  return CollidingKeys(seeds, salt).get();
}

}  // namespace crivo::input
