// SPDX-License-Identifier: Apache-2.0
#include "structures/phast/small_set.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/arithmetic.hpp"
#include "crivo/error.hpp"
#include "structures/phast/shape.hpp"

namespace crivo::phast {
namespace {

constexpr std::uint64_t kSalts = 64;
constexpr std::uint32_t kSeeds = 1U << 16;

constexpr std::uint64_t buckets_of(std::uint64_t keys) noexcept {
  return base::div_ceil(keys, 5);
}

std::uint64_t salted(Hash128 hash, std::uint64_t salt) noexcept {
  return base::mix64(hash.hi ^ base::mix64(hash.lo + salt));
}

std::uint64_t slot(std::uint64_t key, std::uint64_t seed, std::uint64_t keys) noexcept {
  constexpr std::uint64_t kOdd = 0xd6e8feb86659fd93U;
  const std::uint64_t y = (key ^ seed * 0x9e3779b97f4a7c15U) * kOdd;
  return base::mulhi((y ^ y >> 32) * kOdd, keys);
}

/// The buckets' seeds with this salt, if they exist.
std::optional<std::vector<std::uint16_t>> find_seeds(std::span<const Hash128> hashes,
                                                     std::uint64_t salt) {
  std::vector<std::vector<std::uint64_t>> buckets(buckets_of(hashes.size()));
  for (const Hash128& hash : hashes) {
    const std::uint64_t key = salted(hash, salt);
    buckets[base::mulhi(key, buckets.size())].push_back(key);
  }
  std::vector<std::size_t> order(buckets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t b) { return buckets[b].size(); });

  std::vector<std::uint16_t> seeds(buckets.size());
  std::array<bool, kSmallRestKeys> taken{};
  const auto fits = [&](std::span<const std::uint64_t> bucket, std::uint32_t seed) {
    std::size_t placed = 0;
    while (placed < bucket.size() && !taken[slot(bucket[placed], seed, hashes.size())]) {
      taken[slot(bucket[placed++], seed, hashes.size())] = true;
    }
    if (placed == bucket.size()) return true;
    for (const std::uint64_t key : bucket.first(placed)) {
      taken[slot(key, seed, hashes.size())] = false;
    }
    return false;
  };
  for (const std::size_t b : order) {
    std::uint32_t seed = 0;
    while (seed < kSeeds && !fits(buckets[b], seed)) ++seed;
    if (seed == kSeeds) return std::nullopt;
    seeds[b] = static_cast<std::uint16_t>(seed);
  }
  return seeds;
}

}  // namespace

SmallSet::SmallSet(base::FieldReader& reader, std::uint64_t keys)
    : keys_(keys), salt_(reader.u64()) {
  if (salt_ >= kSalts) reader.fail("a salt is out of range");
  seeds_ = reader.take_touched(buckets_of(keys) * 2).data();
  reader.align(8);
}

void SmallSet::write(std::span<const Hash128> hashes, base::Sink& sink) {
  if (hashes.empty() || hashes.size() > kSmallRestKeys)
    throw Error(ErrorKind::bad_input, std::to_string(hashes.size()) + " keys are not a small set");
  for (std::uint64_t salt = 0; salt < kSalts; ++salt) {
    const auto seeds = find_seeds(hashes, salt);
    if (!seeds) continue;
    base::FieldWriter fields;
    fields.u64(salt);
    for (const std::uint16_t seed : *seeds) fields.u16(seed);
    fields.align(8);
    sink.append(fields.view());
    return;
  }
  throw Error(ErrorKind::bad_input,
              "no perfect hash function was found for the last " + std::to_string(hashes.size()) +
                  " keys; try another seed",
              {.remedy = "keyed_hash"});
}

std::uint64_t SmallSet::rank(Hash128 hash) const noexcept {
  if (keys_ == 0) return 0;
  const std::uint64_t key = salted(hash, salt_);
  const std::uint64_t bucket = base::mulhi(key, buckets_of(keys_));
  return slot(key, base::load_le<std::uint16_t>(seeds_ + bucket * 2), keys_);
}

}  // namespace crivo::phast
