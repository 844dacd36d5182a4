// SPDX-License-Identifier: Apache-2.0
#include "structures/consensus/build/kernel.hpp"

#include <algorithm>
#include <utility>

namespace crivo::consensus {
namespace {

/// Children are tried sixteen at a time, in loops of fixed length over 16-bit lanes, which
/// compilers make vectors of.
constexpr unsigned kLanes = 16;

template <unsigned kLogSize>
std::uint32_t expand(const std::uint16_t* node_keys, std::uint32_t node_size, const State* states,
                     std::uint32_t count, unsigned bits, State* survivors) {
  constexpr unsigned kBatch = batch(kLogSize);
  constexpr unsigned kChildren = kLanes / kBatch;
  const std::uint32_t size = kLogSize < 5 ? 1U << kLogSize : node_size;
  std::uint32_t found = 0;
  for (unsigned c = 0; c < 1U << bits; c += kChildren) {
    State children[kLanes];
    std::uint16_t by[kLanes];
    std::uint16_t right[kLanes] = {};
    for (unsigned l = 0; l < kLanes; ++l) {
      children[l] = child(states[l % kBatch], bits, c + l / kBatch);
      by[l] = static_cast<std::uint16_t>(multiplier(children[l]));
    }
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::uint16_t key = node_keys[i];
      for (unsigned l = 0; l < kLanes; ++l) {
        right[l] = static_cast<std::uint16_t>(
            right[l] + (static_cast<std::uint16_t>(static_cast<std::uint32_t>(by[l]) * key) >> 15));
      }
    }
    const unsigned tried = std::min(kChildren, (1U << bits) - c);
    for (unsigned l = 0; l < tried * kBatch; ++l) {
      survivors[found] = children[l];
      found += l % kBatch < count && right[l] == size / 2 ? 1 : 0;
    }
  }
  return found;
}

void split(const std::uint16_t* node_keys, const std::uint16_t* numbers, std::uint32_t size,
           State state, std::uint16_t* order) {
  std::uint16_t right[1U << kMaxLogKeys];
  std::uint32_t lefts = 0;
  std::uint32_t rights = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t goes_right = side(state, node_keys[i]);
    order[lefts] = numbers[i];
    right[rights] = numbers[i];
    lefts += 1 - goes_right;
    rights += goes_right;
  }
  std::copy_n(right, rights, order + lefts);
}

State find(const State* states, State kept, State wanted) {
  while ((*states & kept) != wanted) ++states;
  return *states;
}

template <unsigned... kLogSizes>
constexpr Kernel portable(std::integer_sequence<unsigned, kLogSizes...>) {
  return {{nullptr, nullptr, &expand<kLogSizes + 2>...}, &split, &find};
}

}  // namespace

const Kernel& kernel([[maybe_unused]] base::Cpu cpu) {
#if defined(__x86_64__)
  if (cpu >= base::Cpu::avx512 && __builtin_cpu_supports("avx512vbmi2")) return avx512_kernel();
  if (cpu >= base::Cpu::avx2) return avx2_kernel();
#endif
  static constexpr Kernel kPortable =
      portable(std::make_integer_sequence<unsigned, kMaxLogKeys - 1>{});
  return kPortable;
}

}  // namespace crivo::consensus
