#include "mphf/kernel.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "file/bytes.hpp"
#include "mphf/kernel_avx2.hpp"

namespace crivo::mphf {
namespace {

template <unsigned kFamilies>
constexpr auto kOddNumbers = [] {
  std::array<std::uint16_t, kFamilies> odd{};
  for (unsigned f = 0; f < kFamilies; ++f) odd[f] = static_cast<std::uint16_t>(2 * f + 1);
  return odd;
}();

constexpr auto kScores = [] {
  std::array<std::uint16_t, kMaxScored> scores{};
  for (std::uint32_t v = 1; v < kMaxScored; ++v) scores[v] = score(v);
  return scores;
}();

/// `value`, of which the compiler no longer knows how it came about.
template <typename T>
T opaque(T value) {
  __asm__("" : "+r"(value));
  return value;
}

/// The `kCount` bytes at `flags`, each 0 or 1, as bits. The product gathers eight bytes' bits in
/// its top byte.
template <unsigned kCount>
std::uint64_t as_bits(const std::uint8_t* flags) {
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < kCount; i += 8) {
    const auto eight = file::load_le<std::uint64_t>(flags + i);
    bits |= (eight * 0x0102040810204080U >> 56) << i;
  }
  return bits;
}

/// The portable search. Loops over families are innermost and of fixed length where they vectorise
/// (16-bit lanes), the loops over the bucket's keys are unrolled.
template <unsigned kFamilies, unsigned kKeys>
std::uint32_t search(const Query& query, Candidates& candidates) {
  alignas(64) std::uint16_t at[kKeys][kFamilies];
  const std::uint16_t slice_length = query.slice_length;
  for (unsigned i = 0; i < kKeys; ++i) {
    const std::uint16_t bits = query.spreading[i];
    const auto base = static_cast<std::uint16_t>(query.positions[i] - query.start);
    for (unsigned f = 0; f < kFamilies; ++f) {
      const auto y = static_cast<std::uint16_t>(bits * kOddNumbers<kFamilies>[f]);
      const auto x =
          static_cast<std::uint16_t>((static_cast<std::uint32_t>(y) * slice_length) >> 16);
      at[i][f] = static_cast<std::uint16_t>(x + base);
    }
  }

  std::uint32_t taken[kFamilies];
#pragma GCC unroll 4
  for (unsigned f = 0; f < kFamilies; ++f) {
    std::uint32_t any = query.windows[at[0][f]];
    for (unsigned i = 1; i < kKeys; ++i) any |= query.windows[at[i][f]];
    taken[f] = opaque(any);  // gcc would make vectors of these scalar loads, which is slower
  }
  taken[0] |= 1;

  std::uint8_t fits[kFamilies];
  for (unsigned f = 0; f < kFamilies; ++f) fits[f] = taken[f] != 0xffffffff ? 1 : 0;

  const std::uint16_t* const from_bias = kScores.data() + query.bias;
  std::uint32_t best = kNoCandidate;
  std::uint32_t count = 0;
  constexpr unsigned kStep = std::min(kFamilies, 64U);
  for (unsigned first = 0; first < kFamilies; first += kStep) {
    for (std::uint64_t set = as_bits<kStep>(fits + first); set != 0; set &= set - 1) {
      const auto f = first + static_cast<std::uint32_t>(std::countr_zero(set));
      const auto shift = static_cast<unsigned>(__builtin_ctz(~taken[f]));
      const std::uint16_t* scores = opaque(from_bias + shift);  // else it adds the shift per key
      std::uint32_t cost = 0;
      for (unsigned i = 0; i < kKeys; ++i) cost += scores[at[i][f]];
      const std::uint32_t key = cost << kFamilyBits | f;
      candidates.keys[count++] = key;
      best = std::min(best, key);
    }
  }
  candidates.count = count;
  return best;
}

template <unsigned kFamilies, unsigned... kSizes>
constexpr Searches table(std::integer_sequence<unsigned, kSizes...>) {
  return {nullptr, &search<kFamilies, kSizes + 1>...};
}

/// Null if there are none for this seed width.
const Searches* portable_searches(unsigned seed_bits) noexcept {
  using Sizes = std::make_integer_sequence<unsigned, kMaxBucketKeys>;
  static constexpr Searches kTenBits = table<1U << (10 - kShiftBits)>(Sizes{});
  static constexpr Searches kTwelveBits = table<1U << (12 - kShiftBits)>(Sizes{});
  return seed_bits == 10 ? &kTenBits : seed_bits == 12 ? &kTwelveBits : nullptr;
}

}  // namespace

const Searches& searches(unsigned seed_bits, util::Cpu cpu) {
  const Searches* found = nullptr;
#if defined(__x86_64__)
  if (cpu == util::Cpu::avx2) found = avx2_searches(seed_bits);
#endif
  if (cpu == util::Cpu::portable) found = portable_searches(seed_bits);
  if (found == nullptr) throw std::logic_error("no PHast kernel for this seed width and processor");
  return *found;
}

}  // namespace crivo::mphf
