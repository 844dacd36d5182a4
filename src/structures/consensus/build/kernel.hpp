// SPDX-License-Identifier: Apache-2.0
/// The inner loops of the search for a splitting tree.
#pragma once

#include <array>
#include <cstdint>

#include "base/cpu.hpp"
#include "structures/consensus/shape.hpp"

namespace crivo::consensus {

/// At most this many states of a node are tried at once, each with all its children; large nodes,
/// whose states have many children, take fewer.
inline constexpr unsigned kMaxBatch = 16;
constexpr unsigned batch(unsigned log_node_keys) noexcept {
  return log_node_keys >= 6 ? 1U : 1U << (6 - log_node_keys);
}

/// Arrays of states and of keys are read, and survivors written, up to so many entries too far.
inline constexpr unsigned kSlack = 32;

/// A state s has the 2^b children (s << b) + 2 c + 1 - 2^b for c = 0, 1, ..., where b is the number
/// of bits of the node that they are tried on.
constexpr State child(State state, unsigned bits, unsigned c) noexcept {
  return static_cast<State>((state << bits) + 2 * c + 1 - (1U << bits));
}

/// Writes to `survivors` those children of the first `count` (1 to batch) of `states` that send
/// just half of the node's keys to the right, in the order of c, then of the states, and returns
/// how many there are.
using Expand = std::uint32_t (*)(const std::uint16_t* node_keys, std::uint32_t node_size,
                                 const State* states, std::uint32_t count, unsigned bits,
                                 State* survivors);

/// Writes to `order` the `size` numbers of `numbers`, those of the keys that go left before those
/// that go right, and each in the order given. `size` is at least 4.
using Split = void (*)(const std::uint16_t* node_keys, const std::uint16_t* numbers,
                       std::uint32_t size, State state, std::uint16_t* order);

/// The first of `states` whose bits `kept` are `wanted`; there must be one.
using Find = State (*)(const State* states, State kept, State wanted);

struct Kernel {
  std::array<Expand, kMaxLogKeys + 1> expand;  ///< by the logarithm of the node's size, from 2 on
  Split split;
  Find find;
};

/// The kernel for a processor, which this one must be at least. All find the same.
const Kernel& kernel(base::Cpu cpu);

/// For processors with base::Cpu::avx2. Only where the target is x86-64.
const Kernel& avx2_kernel() noexcept;

/// For processors with base::Cpu::avx512 and VBMI2 (Ice Lake, Zen 4 and later). Only where the
/// target is x86-64.
const Kernel& avx512_kernel() noexcept;

}  // namespace crivo::consensus
