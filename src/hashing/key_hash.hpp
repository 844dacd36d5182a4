// SPDX-License-Identifier: Apache-2.0
/// The key hashes by the numbers and names that files and users give them, and the hashes of keys
/// that belong to groups (formats/exact.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "crivo/detail/exact_lookup.hpp"
#include "crivo/detail/xxh3.hpp"
#include "hashing/hash128.hpp"
#include "hashing/hash_family.hpp"

// The dissertation's ordinary hash functions (its chapter 2), as key hashes: the four words of a
// Hash128 are four functions of one family, each with weights of its own. formats/seeds.md
// specifies them.

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

/// Makes the 128-bit hash that keys are looked up by.
enum class KeyHashId : std::uint32_t {
  xxh3 = 1,   ///< hash_key(): XXH3-64, and a second hash of its products
  xxh64 = 2,  ///< `hi` is XXH64 with seed 0; `lo`, XXH3-64 with the file's seed, is not looked at
  universal = 3,  ///< the seeds' (formats/seeds.md): four words of 32 bits
  zobrist = 4,
  jenkins = 5,
  siphash = 6,  ///< SipHash-2-4 of 128 bits, keyed with the seed, in the place of xxh3
  range = 7,    ///< of numbers: `hi` is XXH3 of the number's run, `lo` the number (range_hash.hpp)
  keyed_range = 8,  ///< the same with SipHash in the place of XXH3
};

/// Whether it is of numbers, and keeps those near to each other in order.
constexpr bool is_of_ranges(KeyHashId hash) noexcept {
  return hash == KeyHashId::range || hash == KeyHashId::keyed_range;
}

/// Whether a structure that is made for `own` may be over hashes of `hash`.
constexpr bool stands_for(KeyHashId hash, KeyHashId own) noexcept {
  return hash == own || (hash == KeyHashId::siphash && own == KeyHashId::xxh3) ||
         (hash == KeyHashId::keyed_range && own == KeyHashId::range);
}

/// Makes the hashes of a file that is built, of which no two keys of a set have one. `numbers`:
/// keys are 8 bytes of a number each, the lowest first, which hashes of ranges take for it.
HashFamily hash_family(KeyHashId hash, bool numbers = false);

/// The same under one seed, where it is one that has tables; null where it has none, and
/// which HashFunction calls by its name.
std::unique_ptr<const PreparedHash> prepared_hash(KeyHashId hash, std::uint64_t seed);

/// The longest keys that the hash is made for.
std::uint64_t max_key_bytes(KeyHashId hash) noexcept;

/// So many keys of a set may have one `hi`, and no more unless by chance.
std::uint64_t keys_alike(KeyHashId hash) noexcept;

/// The hashes that a user can name, the default first.
std::span<const std::string_view> key_hash_names() noexcept;
std::string_view key_hash_name(KeyHashId hash) noexcept;
/// Throws Error(usage) that lists the names if there is none such.
KeyHashId find_key_hash(std::string_view name);
/// SipHash-2-4 of 128 bits under the key (seed, 0).
Hash128 siphash(std::string_view key, std::uint64_t seed) noexcept;

/// XXH64 with seed 0 of a key's bytes.
std::uint64_t xxh64(std::string_view key) noexcept;
inline std::uint64_t xxh64(std::span<const std::byte> key) noexcept {
  return xxh64(base::as_text(key));
}
/// The same for a number as the key of its 8 bytes, the lowest first.
constexpr std::uint64_t xxh64(std::uint64_t key) noexcept {
  return detail::xxh64(key);
}

/// The hash of a group's name, of the hash of its text: another than a key of that text has. So
/// a key that is called as its group is no other's twin, nor are two whose group and key are
/// exchanged.
constexpr Hash128 group_hash(const Hash128& text) noexcept {
  return {detail::half_in_group(0, text.hi), detail::half_in_group(0, text.lo)};
}

/// The hash of a key in a group, of group_hash() and the key's hash. In one group no two keys with
/// different hashes share one, nor does one key in groups with different hashes.
constexpr Hash128 in_group(const Hash128& group, const Hash128& key) noexcept {
  return {detail::half_in_group(group.hi, key.hi), key.lo ^ group.lo};
}

/// The byte that ends the group's name in the text of a key with its group.
inline constexpr char kGroupEnd = '\0';

/// A key hash of texts that are a group's name, kGroupEnd, and a key: in_group() of the hashes that
/// `plain`, which must outlive it, makes of these.
std::unique_ptr<const PreparedHash> grouped_hash(const SeededHash& plain);

}  // namespace crivo::hashing
