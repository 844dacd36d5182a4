// SPDX-License-Identifier: Apache-2.0
#include "structures/phast/build/kernel.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "structures/phast/build/occupancy.hpp"

namespace crivo::phast {
namespace {

/// Vectors of 16 bytes, which every target has or gets from the compiler.
using Shorts = std::uint16_t __attribute__((vector_size(16)));
using Words = std::uint32_t __attribute__((vector_size(16)));
using Signed = std::int32_t __attribute__((vector_size(16)));
using Floats = float __attribute__((vector_size(16)));

template <typename Vector>
Vector load(const void* at) {
  Vector vector;
  std::memcpy(&vector, at, sizeof vector);
  return vector;
}
template <typename Vector>
void store(void* at, Vector vector) {
  std::memcpy(at, &vector, sizeof vector);
}

/// `value`, of which the compiler no longer knows how it came about.
template <typename T>
T opaque(T value) {
  __asm__("" : "+r"(value));
  return value;
}

/// The lowest zero among the 256 bits at `taken`; 256 if there is none. Branches on such bits would
/// be guesses.
std::uint32_t first_free(const std::uint64_t* taken) {
  const std::uint32_t full0 = opaque<std::uint32_t>(taken[0] == ~std::uint64_t{0});
  const std::uint32_t full1 = opaque<std::uint32_t>(taken[1] == ~std::uint64_t{0}) & full0;
  const std::uint32_t full2 = opaque<std::uint32_t>(taken[2] == ~std::uint64_t{0}) & full1;
  const std::uint32_t word = full0 + full1 + full2;
  const std::uint64_t free = ~taken[word];
  const auto bit = static_cast<std::uint32_t>(__builtin_ctzll(free | std::uint64_t{1} << 63));
  return 64 * word + bit + opaque<std::uint32_t>(free == 0);
}

/// The portable search.
template <unsigned kFamilies, unsigned kKeys>
std::uint32_t search(const Query& query, Candidates& candidates) {
  static_assert(kShifts == 256);
  alignas(16) std::uint32_t at[kKeys][kFamilies];
  alignas(16) std::uint32_t bytes[kKeys][kFamilies];  // where the bits from `at` on begin
  const unsigned drop = 16 - query.slice_bits;
  const auto place = [&](unsigned key, unsigned family, Words v) {
    store(&at[key][family], v);
    store(&bytes[key][family], v % Occupancy::kRows * Occupancy::kRowBytes + v / 8);
  };
  for (unsigned i = 0; i < kKeys; ++i) {
    const Shorts bits = Shorts{} + query.spreading[i];
    const Words base = Words{} + (query.positions[i] - query.origin);
    Shorts odd{1, 3, 5, 7, 9, 11, 13, 15};
    for (unsigned f = 0; f < kFamilies; f += 8) {
      const Shorts x = (bits * odd) >> drop;
      const Shorts zero{};
      place(i, f, (Words)__builtin_shufflevector(x, zero, 0, 8, 1, 9, 2, 10, 3, 11) + base);
      place(i, f + 4, (Words)__builtin_shufflevector(x, zero, 4, 12, 5, 13, 6, 14, 7, 15) + base);
      odd += 16;
    }
  }

  // Else gcc takes the offsets apart in registers, which is slower than the loads.
  __asm__("" : "+m"(bytes));

  for (unsigned f = 0; f < kFamilies; ++f) {
    Words low = load<Words>(query.taken + bytes[0][f]);
    Words high = load<Words>(query.taken + bytes[0][f] + 16);
    for (unsigned i = 1; i < kKeys; ++i) {
      low |= load<Words>(query.taken + bytes[i][f]);
      high |= load<Words>(query.taken + bytes[i][f] + 16);
    }
    std::uint64_t taken[4];
    store(taken, low);
    store(taken + 2, high);
    if (f == 0) taken[0] |= 1;
    candidates.shifts[f] = first_free(taken);
  }

  // The exponent bias of every key's float.
  constexpr std::uint32_t kExcess = kKeys * (127U << 23);
  std::uint32_t best = kNoCandidate;
  for (unsigned f = 0; f < kFamilies; f += 4) {
    const auto shifts = load<Words>(&candidates.shifts[f]);
    const Words from = shifts + query.bias;
    Words cost = Words{} - kExcess;
    for (unsigned i = 0; i < kKeys; ++i) {
      const Words v = load<Words>(&at[i][f]) + from;
      cost += (Words) __builtin_convertvector((Signed)v, Floats);
    }
    // From the float bits' sum to (sum of scores) << kFamilyBits: less by 2^12 / 2^kFamilyBits.
    const Words families = Words{0, 1, 2, 3} + f;
    const Words full = (Words)((Signed)shifts > static_cast<std::int32_t>(kShifts - 1));
    const Words keys = (cost >> (12 - kFamilyBits)) | families | full;
    store(&candidates.keys[f], keys);
    for (unsigned j = 0; j < 4; ++j) best = std::min(best, keys[j]);
  }
  return best;
}

struct Portable {
  template <unsigned kFamilies, unsigned kKeys>
  static constexpr Search kSearch = &search<kFamilies, kKeys>;
};

}  // namespace

const Searches& searches(unsigned seed_bits, base::Cpu cpu) {
  const Searches* found = nullptr;
#if defined(__x86_64__)
  if (cpu == base::Cpu::avx512) found = avx512_searches(seed_bits);
  // So few families that AVX-512 would leave half of its lanes idle, and be slower.
  const bool few = cpu == base::Cpu::avx512 && found == nullptr;
  if (cpu == base::Cpu::avx2 || few) found = avx2_searches(seed_bits);
#endif
  if (cpu == base::Cpu::portable) found = searches_of_width<Portable>(seed_bits);
  if (found == nullptr) throw std::logic_error("no PHast kernel for this seed width and processor");
  return *found;
}

}  // namespace crivo::phast
