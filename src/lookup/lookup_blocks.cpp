// SPDX-License-Identifier: Apache-2.0
#include "lookup/lookup_blocks.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/cpu.hpp"
#include "crivo/detail/hash128.hpp"
#include "crivo/detail/views.hpp"
#include "crivo/error.hpp"

namespace crivo::detail {

void fail_batch(std::size_t keys, std::size_t places) {
  throw Error(ErrorKind::usage, "a batch of " + std::to_string(keys) +
                                    " keys needs as many places for its answers, and was given " +
                                    std::to_string(places));
}

}  // namespace crivo::detail

namespace crivo::index {
namespace {

using detail::HashAccess;

/// The loop, for the compiler to make vectors of.
[[gnu::always_inline]] inline void hash_all(std::span<const std::uint64_t> numbers,
                                            std::uint64_t seed, std::uint64_t* halves) noexcept {
  for (std::size_t i = 0; i < numbers.size(); ++i) halves[i] = detail::first_half(numbers[i], seed);
}

#if defined(__x86_64__)
#if defined(__clang__)  // takes the widest of itself
#define CRIVO_WIDE_TARGET "avx512f,avx512bw,avx512vl"
#else
#define CRIVO_WIDE_TARGET "avx512f,avx512bw,avx512vl,prefer-vector-width=512"
#endif
__attribute__((target(CRIVO_WIDE_TARGET))) void avx512(std::span<const std::uint64_t> numbers,
                                                       std::uint64_t seed,
                                                       std::uint64_t* halves) noexcept {
  hash_all(numbers, seed, halves);
}
__attribute__((target("avx2"))) void avx2(std::span<const std::uint64_t> numbers,
                                          std::uint64_t seed, std::uint64_t* halves) noexcept {
  hash_all(numbers, seed, halves);
}
#endif

void halves_of(std::span<const std::uint64_t> numbers, std::uint64_t seed,
               std::uint64_t* halves) noexcept {
#if defined(__x86_64__)
  if (base::cpu() == base::Cpu::avx512) return avx512(numbers, seed, halves);
  if (base::cpu() == base::Cpu::avx2) return avx2(numbers, seed, halves);
#endif
  hash_all(numbers, seed, halves);
}

/// made[i] = make(keys[begin + i]), whose texts are asked for before.
template <typename Key, typename Made, typename Make>
void make_each(std::span<const Key> keys, std::size_t begin, std::span<Made> made,
               const Make& make) noexcept {
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (begin + i + kKeysAhead < keys.size()) prefetch_key(keys[begin + i + kKeysAhead]);
    made[i] = make(keys[begin + i]);
  }
}

template <typename Key>
void make_halves(std::span<const Key> keys, std::size_t begin, const HashFunction& function,
                 std::span<std::uint64_t> halves) noexcept {
  const detail::xxh3::PreparedSeed seed(function.seed());  // a copy, which no store can change
  make_each(keys, begin, halves, [&](const Key& key) { return detail::first_half(key, seed); });
}

template <typename Key>
void make_hashes(std::span<const Key> keys, std::size_t begin, const HashFunction& function,
                 Halves parts, std::span<Hash128> hashes) noexcept {
  const hashing::KeyHashId id = HashAccess::id(function);
  if (parts == Halves::first && id == hashing::KeyHashId::xxh3) {
    std::array<std::uint64_t, kLookupBlock> halves;
    const auto block = std::span(halves).first(hashes.size());
    first_halves(keys, begin, function, block);
    std::ranges::transform(block, hashes.begin(), [](std::uint64_t half) {
      return Hash128{half, 0};
    });
  } else if (id == hashing::KeyHashId::xxh3) {
    const std::uint64_t seed = function.seed();
    make_each(keys, begin, hashes, [seed](const Key& key) { return hash_key(key, seed); });
  } else if (id == hashing::KeyHashId::xxh64) {
    make_each(keys, begin, hashes, [](const Key& key) { return Hash128{hashing::xxh64(key), 0}; });
  } else {
    make_each(keys, begin, hashes, [&](const Key& key) { return HashAccess::raw(function, key); });
  }
}

}  // namespace

void first_halves(std::span<const std::string_view> keys, std::size_t begin,
                  const HashFunction& function, std::span<std::uint64_t> halves) noexcept {
  make_halves(keys, begin, function, halves);
}
void first_halves(std::span<const std::span<const std::byte>> keys, std::size_t begin,
                  const HashFunction& function, std::span<std::uint64_t> halves) noexcept {
  make_halves(keys, begin, function, halves);
}
void first_halves(std::span<const std::uint64_t> keys, std::size_t begin,
                  const HashFunction& function, std::span<std::uint64_t> halves) noexcept {
  halves_of(keys.subspan(begin, halves.size()), function.seed(), halves.data());
}

void hash_block(std::span<const std::string_view> keys, std::size_t begin,
                const HashFunction& function, Halves parts, std::span<Hash128> hashes) noexcept {
  make_hashes(keys, begin, function, parts, hashes);
}
void hash_block(std::span<const std::span<const std::byte>> keys, std::size_t begin,
                const HashFunction& function, Halves parts, std::span<Hash128> hashes) noexcept {
  make_hashes(keys, begin, function, parts, hashes);
}
void hash_block(std::span<const std::uint64_t> keys, std::size_t begin,
                const HashFunction& function, Halves parts, std::span<Hash128> hashes) noexcept {
  make_hashes(keys, begin, function, parts, hashes);
}
void hash_block(std::span<const KeyHash> keys, std::size_t begin, const HashFunction& function,
                Halves, std::span<Hash128> hashes) {
  const auto some = keys.subspan(begin, hashes.size());
  bool all_made = true;  // without a branch a hash
  for (std::size_t i = 0; i < some.size(); ++i) {
    all_made &= HashAccess::made(function, some[i]);
    hashes[i] = HashAccess::bits(some[i]);
  }
  if (all_made) return;
  for (const KeyHash& hash : some) HashAccess::checked(function, hash);
}

}  // namespace crivo::index
