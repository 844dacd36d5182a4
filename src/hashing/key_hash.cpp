// SPDX-License-Identifier: Apache-2.0
#include "hashing/key_hash.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "base/named_rows.hpp"
#include "crivo/key.hpp"
#include "hashing/hash128.hpp"
#include "hashing/range_hash.hpp"
#include "hashing/siphash.hpp"

namespace crivo::hashing {
namespace {

Hash128 xxh64_hash(std::string_view key, std::uint64_t seed) noexcept {
  return {xxh64(key), XXH3_64bits_withSeed(key.data(), key.size(), seed)};
}

class GroupedHash final : public PreparedHash {
 public:
  explicit GroupedHash(const SeededHash& plain) : plain_(plain) {}

  Hash128 operator()(std::string_view text) const noexcept override {
    const std::size_t end = text.find(kGroupEnd);
    const bool has_group = end != std::string_view::npos;
    return in_group(group_hash(plain_(text.substr(0, end))),
                    plain_(has_group ? text.substr(end + 1) : text));
  }

 private:
  const SeededHash& plain_;
};

}  // namespace

std::unique_ptr<const PreparedHash> prepared_hash(KeyHashId hash, std::uint64_t seed) {
  switch (hash) {
    case KeyHashId::universal:
      return std::make_unique<UniversalHash>(seed);
    case KeyHashId::zobrist:
      return std::make_unique<ZobristHash>(seed);
    case KeyHashId::jenkins:
      return std::make_unique<JenkinsHash>(seed);
    case KeyHashId::xxh3:
    case KeyHashId::xxh64:
    case KeyHashId::siphash:
    case KeyHashId::range:
    case KeyHashId::keyed_range:
      break;
  }
  return nullptr;
}

HashFamily hash_family(KeyHashId hash, bool numbers) {
  if (hash == KeyHashId::xxh3) return static_cast<PlainHash>(hash_key);
  if (hash == KeyHashId::xxh64) return xxh64_hash;
  if (hash == KeyHashId::siphash) return siphash;
  if (hash == KeyHashId::range)
    return static_cast<PlainHash>(numbers ? hash_of_bytes<range_hash> : hash_of_text<range_hash>);
  if (hash == KeyHashId::keyed_range) {
    return static_cast<PlainHash>(numbers ? hash_of_bytes<keyed_range_hash>
                                          : hash_of_text<keyed_range_hash>);
  }
  return HashFamily([hash](std::uint64_t seed) { return prepared_hash(hash, seed); });
}

std::uint64_t max_key_bytes(KeyHashId hash) noexcept {
  if (is_of_ranges(hash)) return kMaxNumberBytes;
  const bool has_table = hash == KeyHashId::universal || hash == KeyHashId::zobrist;
  return has_table ? kMaxTableKeyBytes : kMaxKeyBytes;
}

std::uint64_t keys_alike(KeyHashId hash) noexcept {
  return is_of_ranges(hash) ? kRunNumbers : 1;
}

std::span<const std::string_view> key_hash_names() noexcept {
  static constexpr std::array<std::string_view, 4> kNames{"xxh3", "universal", "zobrist",
                                                          "jenkins"};
  return kNames;
}

std::string_view key_hash_name(KeyHashId hash) noexcept {
  switch (hash) {
    case KeyHashId::xxh3:
      return "xxh3";
    case KeyHashId::xxh64:
      return "xxh64";
    case KeyHashId::universal:
      return "universal";
    case KeyHashId::zobrist:
      return "zobrist";
    case KeyHashId::jenkins:
      return "jenkins";
    case KeyHashId::siphash:
      return "siphash";
    case KeyHashId::range:
      return "range";
    case KeyHashId::keyed_range:
      return "range-siphash";
  }
  return {};
}

KeyHashId find_key_hash(std::string_view name) {
  constexpr std::array kNamed{KeyHashId::xxh3, KeyHashId::universal, KeyHashId::zobrist,
                              KeyHashId::jenkins};
  for (const KeyHashId hash : kNamed) {
    if (key_hash_name(hash) == name) return hash;
  }
  base::refuse_name("key hash", name, key_hash_names());
}

Hash128 siphash(std::string_view key, std::uint64_t seed) noexcept {
  return siphash128(key, {seed, 0});
}

std::uint64_t xxh64(std::string_view key) noexcept {
  return XXH64(key.data(), key.size(), 0);
}

namespace {

Hash128 joined(Lanes words) noexcept {
  return {std::uint64_t{words[0]} << 32 | words[1], std::uint64_t{words[2]} << 32 | words[3]};
}

/// The hash of what a key has beyond the weights: 0 for one with as many bytes, or fewer. A longer
/// one is of no set; its first bytes are hashed, and its length so that they alone do not stand for
/// it.
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

std::unique_ptr<const PreparedHash> grouped_hash(const SeededHash& plain) {
  return std::make_unique<GroupedHash>(plain);
}

}  // namespace crivo::hashing

namespace crivo::detail {

Hash128 hash_key(std::string_view key, std::uint64_t seed) noexcept {
  return both_halves(key, seed);
}
Hash128 hash_key(std::string_view key, const xxh3::PreparedSeed& seed) noexcept {
  return both_halves(key, seed);
}

std::uint64_t xxh3::of_long(const char* key, std::size_t size, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(key, size, seed);
}

}  // namespace crivo::detail
