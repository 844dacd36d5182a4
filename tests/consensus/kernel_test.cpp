// SPDX-License-Identifier: Apache-2.0
// Each processor's kernel of the search finds what the definition finds.

#include "structures/consensus/build/kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/arithmetic.hpp"

namespace crivo::consensus {
namespace {

std::vector<std::uint16_t> random_shorts(std::size_t count, std::uint64_t salt) {
  std::vector<std::uint16_t> shorts(count);
  for (std::size_t i = 0; i < count; ++i) {
    shorts[i] = static_cast<std::uint16_t>(base::mix64((salt << 32) + i));
  }
  return shorts;
}

/// This processor's kernel and those below it.
const base::Cpu kCpus[] = {base::Cpu::portable, std::min(base::Cpu::avx2, base::cpu()),
                           base::cpu()};

TEST(ConsensusKernel, ListsTheChildrenThatHalveTheNode) {
  for (unsigned log_size = 2; log_size <= 12; ++log_size) {
    const std::uint32_t size = 1U << log_size;
    for (std::uint64_t round = 0; round < 40; ++round) {
      const auto keys = random_shorts(size + kSlack, 100 * log_size + round);
      auto states = random_shorts(kMaxBatch + kSlack, 7777 + round);
      for (State& state : states) state |= 1;
      const auto count = static_cast<std::uint32_t>(1 + round % batch(log_size));
      const auto bits = static_cast<unsigned>(round % 9);

      std::vector<State> expected;
      for (unsigned c = 0; c < 1U << bits; ++c) {
        for (std::uint32_t s = 0; s < count; ++s) {
          const State tried = child(states[s], bits, c);
          std::uint32_t right = 0;
          for (std::uint32_t i = 0; i < size; ++i) right += side(tried, keys[i]);
          if (right == size / 2) expected.push_back(tried);
        }
      }
      for (const base::Cpu cpu : kCpus) {
        std::vector<State> found((std::size_t{batch(log_size)} << bits) + kSlack);
        found.resize(kernel(cpu).expand[log_size](keys.data(), size, states.data(), count, bits,
                                                  found.data()));
        ASSERT_EQ(found, expected) << "size " << size << ", round " << round;
      }
    }
  }
}

TEST(ConsensusKernel, ChildrenHaveTheParentsBitsAndTheirOwn) {
  constexpr State kParent = 0x1235;
  for (unsigned c = 0; c < 8; ++c) {
    const State made = child(kParent, 3, c);
    EXPECT_EQ(made >> 1 & 7U, c);
    EXPECT_EQ(made & 1, 1);
    EXPECT_EQ(made >> 4, (kParent >> 1) & 0xfff);
  }
}

TEST(ConsensusKernel, SplitsStably) {
  for (unsigned log_size = 2; log_size <= 12; ++log_size) {
    const std::uint32_t size = 1U << log_size;
    const auto keys = random_shorts(size + kSlack, log_size);
    std::vector<std::uint16_t> numbers(size + kSlack);
    std::iota(numbers.begin(), numbers.end(), std::uint16_t{500});
    constexpr State kState = 0x6e9b;
    std::vector<std::uint16_t> expected;
    for (const std::uint32_t half : {0U, 1U}) {
      for (std::uint32_t i = 0; i < size; ++i) {
        if (side(kState, keys[i]) == half) expected.push_back(numbers[i]);
      }
    }
    for (const base::Cpu cpu : kCpus) {
      std::vector<std::uint16_t> order(size + kSlack);
      kernel(cpu).split(keys.data(), numbers.data(), size, kState, order.data());
      order.resize(size);
      ASSERT_EQ(order, expected) << "size " << size;
    }
  }
}

TEST(ConsensusKernel, FindsTheFirstStateThatAgrees) {
  constexpr std::size_t kStates = 100;
  for (std::size_t at = 0; at < kStates; ++at) {
    auto states = random_shorts(kStates + kSlack, 17);
    constexpr State kKept = 0x7ffe;
    const State wanted = 0x2468;
    for (State& state : states) state = (state & kKept) == wanted ? 0 : state;
    states[at] = wanted | 0x8001;
    if (at + 1 < kStates) states[at + 1] = wanted;
    for (const base::Cpu cpu : kCpus) {
      ASSERT_EQ(kernel(cpu).find(states.data(), kKept, wanted), states[at]) << at;
    }
  }
}

}  // namespace
}  // namespace crivo::consensus
