#include "mphf/kernel.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "file/bytes.hpp"
#include "mphf/kernel_avx2.hpp"
#include "mphf/occupancy.hpp"

namespace crivo::mphf {
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

/// The lowest zero among the 256 bits at `taken`; 256 if there is none.
std::uint32_t first_free(const std::uint64_t* taken) {
  std::uint64_t free = ~taken[3];
  std::uint32_t from = 192;
  for (unsigned i = 3; i-- > 0;) {
    const std::uint64_t here = ~taken[i];
    free = here != 0 ? here : free;
    from = here != 0 ? 64 * i : from;
  }
  return free != 0 ? from + static_cast<std::uint32_t>(__builtin_ctzll(free)) : kShifts;
}

/// The portable search.
template <unsigned kFamilies, unsigned kKeys>
std::uint32_t search(const Query& query, Candidates& candidates) {
  static_assert(kShifts == 256);
  alignas(16) std::uint32_t at[kKeys][kFamilies];
  alignas(16) std::uint32_t bytes[kKeys][kFamilies];  // where the bits from `at` on begin
  for (unsigned i = 0; i < kKeys; ++i) {
    const std::uint16_t bits = query.spreading[i];
    const std::uint32_t base = query.positions[i] - query.origin;
    alignas(16) std::uint16_t x[kFamilies];
    for (unsigned f = 0; f < kFamilies; ++f) {
      const auto y = static_cast<std::uint16_t>(bits * (2 * f + 1));
      x[f] = static_cast<std::uint16_t>((std::uint32_t{y} * static_cast<std::uint16_t>(query.slice_length)) >> 16);
    }
    for (unsigned f = 0; f < kFamilies; ++f) {
      const std::uint32_t v = x[f] + base;
      const std::uint32_t row = v % Occupancy::kRows;
      at[i][f] = v;
      bytes[i][f] = row * Occupancy::kRowBytes + v / 8;
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
    std::memcpy(taken, &low, 16);
    std::memcpy(taken + 2, &high, 16);
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
      cost += (Words)__builtin_convertvector((Signed)v, Floats);
    }
    // From the float bits' sum to (sum of scores) << kFamilyBits: less by 2^12 / 2^kFamilyBits.
    const Words families = Words{0, 1, 2, 3} + f;
    const Words full = (Words)((Signed)shifts > static_cast<std::int32_t>(kShifts - 1));
    const Words keys = (cost >> (12 - kFamilyBits)) | families | full;
    std::memcpy(&candidates.keys[f], &keys, sizeof keys);
    for (unsigned j = 0; j < 4; ++j) best = std::min(best, keys[j]);
  }
  return best;
}

template <unsigned kFamilies, unsigned... kSizes>
constexpr Searches table(std::integer_sequence<unsigned, kSizes...>) {
  return {nullptr, &search<kFamilies, kSizes + 1>...};
}

/// Null if there are none for this seed width.
const Searches* portable_searches(unsigned seed_bits) noexcept {
  using Sizes = std::make_integer_sequence<unsigned, kMaxBucketKeys>;
  static constexpr std::array<Searches, 4> kFrom11{
      table<8>(Sizes{}), table<16>(Sizes{}), table<32>(Sizes{}), table<64>(Sizes{})};
  return seed_bits - 11 < kFrom11.size() ? &kFrom11[seed_bits - 11] : nullptr;
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
