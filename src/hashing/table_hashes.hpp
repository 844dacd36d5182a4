// SPDX-License-Identifier: Apache-2.0
/// The dissertation's ordinary hash functions (its chapter 2), as key hashes: the four words of a
/// Hash128 are four functions of one family, each with weights of its own. formats/seeds.md
/// specifies them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "hashing/hash128.hpp"
#include "hashing/hash_family.hpp"

namespace crivo::hashing {

/// The longest key that tables of weights are made for.
inline constexpr std::size_t kMaxTableKeyBytes = 4096;

/// Four numbers that go through the same steps.
using Lanes [[gnu::vector_size(16)]] = std::uint32_t;

/// The numbers that all weights are drawn from: they depend on the seed alone, not on the machine,
/// so that a function is stored by its seed. (SplitMix64; Steele, Lea, Flood, OOPSLA 2014; the top
/// halves of its outputs.)
class WeightGenerator {
 public:
  explicit WeightGenerator(std::uint64_t seed) noexcept : state_(seed) {}
  std::uint32_t next() noexcept;
  /// The next four.
  Lanes next_lanes() noexcept;

 private:
  std::uint64_t state_;
};

/// The universal hash: the sum of P[i] * key[i] modulo 2^32. Keys that differ by zero bytes at
/// their ends alone have one hash, whatever the seed.
class UniversalHash final : public hashing::PreparedHash {
 public:
  explicit UniversalHash(std::uint64_t seed);
  Hash128 operator()(std::string_view key) const noexcept override;

 private:
  std::vector<Lanes> weights_;  ///< by place: 64 KiB
};

/// Zobrist's hash: the sum of P[i][key[i]] modulo 2^32.
class ZobristHash final : public hashing::PreparedHash {
 public:
  explicit ZobristHash(std::uint64_t seed);
  Hash128 operator()(std::string_view key) const noexcept override;

 private:
  std::vector<Lanes> weights_;  ///< by place and byte: 16 MiB
};

/// Jenkins's hash of 1997, every key from the same initial value: 12 bytes at a time are added to
/// a state of 96 bits, which is then stirred. Keys may have any length.
class JenkinsHash final : public hashing::PreparedHash {
 public:
  explicit JenkinsHash(std::uint64_t seed) noexcept;
  Hash128 operator()(std::string_view key) const noexcept override;

 private:
  Lanes initial_;
};

}  // namespace crivo::hashing
