// SPDX-License-Identifier: Apache-2.0
#include "lookup/lookup_blocks.hpp"

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

}  // namespace

void first_halves(std::span<const std::uint64_t> numbers, std::uint64_t seed,
                  std::uint64_t* halves) noexcept {
#if defined(__x86_64__)
  if (base::cpu() == base::Cpu::avx512) return avx512(numbers, seed, halves);
  if (base::cpu() == base::Cpu::avx2) return avx2(numbers, seed, halves);
#endif
  hash_all(numbers, seed, halves);
}

}  // namespace crivo::index
