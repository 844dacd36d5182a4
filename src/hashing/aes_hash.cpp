// SPDX-License-Identifier: Apache-2.0
#include "hashing/aes_hash.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "base/bytes.hpp"
#include "base/cpu.hpp"
#include "hashing/aes_paths.hpp"
#include "hashing/aes_tree.hpp"

namespace crivo::hashing::aes_tables {
namespace {

using Byte = std::uint8_t;

constexpr Byte doubled(Byte x) noexcept {
  return static_cast<Byte>(x << 1 ^ (x >> 7) * 0x1b);
}

/// AES's S-box: the inverse in GF(2^8), 3 being a generator, and then an affine map.
constexpr std::array<Byte, 256> kSubstitutes = [] {
  std::array<Byte, 256> substitutes{};
  Byte power = 1;
  Byte inverse = 1;
  do {
    power = static_cast<Byte>(power ^ doubled(power));
    inverse = static_cast<Byte>(inverse ^ inverse << 1);  // divided by 3
    inverse = static_cast<Byte>(inverse ^ inverse << 2);
    inverse = static_cast<Byte>(inverse ^ inverse << 4);
    if ((inverse & 0x80) != 0) inverse ^= 0x09;
    substitutes[power] = static_cast<Byte>(inverse ^ std::rotl(inverse, 1) ^ std::rotl(inverse, 2) ^
                                           std::rotl(inverse, 3) ^ std::rotl(inverse, 4) ^ 0x63);
  } while (power != 1);
  substitutes[0] = 0x63;
  return substitutes;
}();

/// What a byte of a column's first row adds to the column after a round; those of the other rows
/// add the same, rotated.
constexpr std::array<std::uint32_t, 256> kColumns = [] {
  std::array<std::uint32_t, 256> columns{};
  for (std::size_t x = 0; x < columns.size(); ++x) {
    const std::uint32_t once = kSubstitutes[x];
    const std::uint32_t twice = doubled(kSubstitutes[x]);
    columns[x] = twice | once << 8 | once << 16 | (once ^ twice) << 24;
  }
  return columns;
}();

/// Four columns of four bytes, the first the lowest.
struct Columns {
  std::array<std::uint32_t, 4> words{};

  void add(const Columns& other) noexcept {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] ^= other.words[i];
  }
};

Columns load(const void* at) noexcept {
  Columns columns;
  for (std::size_t i = 0; i < columns.words.size(); ++i) {
    columns.words[i] = base::load_le<std::uint32_t>(static_cast<const char*>(at) + 4 * i);
  }
  return columns;
}
Columns of_halves(std::uint64_t low, std::uint64_t high) noexcept {
  return {{static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32),
           static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(high >> 32)}};
}

/// The byte of a row in the column that ShiftRows brings to column `i`.
std::size_t shifted(const Columns& from, std::size_t i, unsigned row) noexcept {
  return from.words[(i + row) % 4] >> 8 * row & 0xff;
}

Columns round(const Columns& from, const Columns& key) noexcept {
  Columns to = key;
  for (std::size_t i = 0; i < to.words.size(); ++i) {
    for (unsigned row = 0; row < 4; ++row) {
      to.words[i] ^= std::rotl(kColumns[shifted(from, i, row)], static_cast<int>(8 * row));
    }
  }
  return to;
}
Columns last_round(const Columns& from, const Columns& key) noexcept {
  Columns to = key;
  for (std::size_t i = 0; i < to.words.size(); ++i) {
    for (unsigned row = 0; row < 4; ++row) {
      to.words[i] ^= std::uint32_t{kSubstitutes[shifted(from, i, row)]} << 8 * row;
    }
  }
  return to;
}

AesKeys::Block bytes_of(const Columns& columns) noexcept {
  AesKeys::Block block;
  for (std::size_t i = 0; i < 4; ++i) base::store_le(block.data() + 4 * i, columns.words[i]);
  return block;
}

/// The round keys of AES-128 as FIPS 197 has them.
AesKeys::RoundKeys expand(const AesKeys::Block& key) noexcept {
  AesKeys::RoundKeys keys;
  keys[0] = key;
  Columns columns = load(key.data());
  std::uint32_t constant = 1;
  for (std::size_t r = 1; r < keys.size(); ++r) {
    const std::uint32_t last = std::rotr(columns.words[3], 8);
    std::uint32_t word = constant;
    for (unsigned i = 0; i < 4; ++i) {
      word ^= std::uint32_t{kSubstitutes[last >> 8 * i & 0xff]} << 8 * i;
    }
    for (std::uint32_t& column : columns.words) {
      column ^= word;
      word = column;
    }
    keys[r] = bytes_of(columns);
    constant = doubled(static_cast<Byte>(constant));
  }
  return keys;
}

Columns encrypted(Columns block, const AesKeys::RoundKeys& keys) noexcept {
  block.add(load(keys[0].data()));
  for (std::size_t r = 1; r < AesKeys::kFinishRounds; ++r)
    block = round(block, load(keys[r].data()));
  return last_round(block, load(keys[AesKeys::kFinishRounds].data()));
}

void encrypt_numbers(const AesKeys::RoundKeys& keys, std::uint64_t first, AesKeys::Block* blocks,
                     std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    blocks[i] = bytes_of(encrypted(of_halves(first + i, 0), keys));
  }
}

class AesTables final : public PreparedHash {
 public:
  explicit AesTables(Seed seed) noexcept : keys_(seed, &encrypt_numbers) {}

  Hash128 operator()(std::string_view text) const noexcept override {
    const std::size_t size = text.size();
    text = text.substr(0, kTreeBytes);
    Columns sum = node(text, tree_height(text.size()));
    sum.add(of_halves(size, 0));
    const Columns hash = encrypted(sum, keys_.finish);
    const auto half = [&](std::size_t i) {
      return hash.words[i] | std::uint64_t{hash.words[i + 1]} << 32;
    };
    return {half(0), half(2)};
  }

 private:
  Columns lane(Columns block, std::size_t level, std::size_t i) const noexcept {
    const AesKeys::Level& keys = keys_.levels[level];
    block.add(load(keys[0][i].data()));
    for (std::size_t r = 1; r < AesKeys::kRounds; ++r)
      block = round(block, load(keys[r][i].data()));
    return round(block, {});
  }

  Columns node(std::string_view text, std::size_t level) const noexcept {
    const std::size_t child_bytes =
        level == 0 ? AesKeys::kBlockBytes : kLeafBytes << 3 * (level - 1);
    Columns sum;
    for (std::size_t at = 0, i = 0; at < text.size(); at += child_bytes, ++i) {
      const Columns child =
          level == 0 ? block(text, at) : node(text.substr(at, child_bytes), level - 1);
      sum.add(lane(child, level, i));
    }
    return sum;
  }

  /// The leaf's block from `at` on; its last 16 bytes where it does not have as many.
  static Columns block(std::string_view leaf, std::size_t at) noexcept {
    if (leaf.size() < AesKeys::kBlockBytes) {
      const ShortBlock block = short_block(leaf.data(), leaf.size());
      return of_halves(block.low, block.high);
    }
    return load(leaf.data() + std::min(at, leaf.size() - AesKeys::kBlockBytes));
  }

  AesKeys keys_;
};

#if defined(__x86_64__)
/// Compilers' own checks do not all know it.
bool has_vaes() noexcept {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_VAES) != 0;
}
#endif

}  // namespace
}  // namespace crivo::hashing::aes_tables

namespace crivo::hashing {

AesKeys::AesKeys(Seed seed, Encrypt encrypt) noexcept {
  const RoundKeys master =
      aes_tables::expand(aes_tables::bytes_of(aes_tables::of_halves(seed.low, seed.high)));
  Block last;
  encrypt(master, 0, &last, 1);
  finish = aes_tables::expand(last);
  std::uint64_t drawn = 1;
  for (Level& level : levels) {
    for (auto& keys_of_round : level) {
      encrypt(master, drawn, keys_of_round.data(), kLanes);
      drawn += kLanes;
    }
  }
}

AesPath best_aes_path() {
#if defined(__x86_64__)
  if (base::cpu() >= base::Cpu::avx2 && __builtin_cpu_supports("aes")) {
    return aes_tables::has_vaes() ? AesPath::vaes : AesPath::aes;
  }
#endif
  return AesPath::tables;
}

std::unique_ptr<const PreparedHash> aes_hash(Seed seed, AesPath path) {
  switch (path) {
#if defined(__x86_64__)
    case AesPath::vaes:
      return aes_hash_vaes(seed);
    case AesPath::aes:
      return aes_hash_aes(seed);
#else
    case AesPath::vaes:
    case AesPath::aes:
#endif
    case AesPath::tables:
      break;
  }
  return std::make_unique<aes_tables::AesTables>(seed);
}

}  // namespace crivo::hashing
