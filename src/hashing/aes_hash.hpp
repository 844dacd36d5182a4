// SPDX-License-Identifier: Apache-2.0
/// The keyed hash of AES rounds (formats/crivo-1.md, function 9; why it is as it is:
/// tools/doc/decisions/aes-hash.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "hashing/hash128.hpp"
#include "hashing/hash_family.hpp"
#include "hashing/seed.hpp"

namespace crivo::hashing {

/// All that the hash makes of its key.
struct AesKeys {
  static constexpr std::size_t kBlockBytes = 16;
  static constexpr std::size_t kLanes = 8;
  static constexpr std::size_t kRounds = 4;
  static constexpr std::size_t kLevels = 6;
  static constexpr std::size_t kFinishRounds = 10;

  using Block = std::array<std::byte, kBlockBytes>;
  /// Of a level: what is added to each lane's block before each of its rounds.
  using Level = std::array<std::array<Block, kLanes>, kRounds>;

  using RoundKeys = std::array<Block, kFinishRounds + 1>;
  /// blocks[i] = the number first + i, encrypted by AES-128 with these.
  using Encrypt = void (*)(const RoundKeys& keys, std::uint64_t first, Block* blocks,
                           std::size_t count) noexcept;

  AesKeys(Seed seed, Encrypt encrypt) noexcept;

  alignas(64) std::array<Level, kLevels> levels;
  RoundKeys finish;
};

/// The instructions by which a hash is computed: its value is the same by each.
enum class AesPath {
  tables,  ///< looked up, in a time that depends on keys and on the secret
  aes,     ///< a block at a time: AES-NI with AVX2
  vaes,    ///< two at a time: the same with VAES
};

/// The quickest that this processor has. Throws what base::cpu() does.
AesPath best_aes_path();

/// The hash under a key, by `path`, which this processor must have.
std::unique_ptr<const PreparedHash> aes_hash(Seed seed, AesPath path = best_aes_path());

}  // namespace crivo::hashing
