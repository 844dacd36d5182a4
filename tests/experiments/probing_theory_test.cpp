#include "experiments/probing_theory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gen/permutation.hpp"
#include "seeds/range.hpp"

namespace crivo::experiments {
namespace {

/// Collisions a key of linear probing over pseudo-random values in that range.
double simulated(std::uint64_t keys, std::uint32_t slots) {
  const seeds::Reduction reduce(seeds::Range::mask_xor, slots);
  std::vector<std::uint32_t> at(slots);
  for (std::uint64_t i = 0; i < keys; ++i) {
    ++at[reduce(static_cast<std::uint32_t>(gen::derive(1, i)))];
  }
  std::uint64_t total = 0;
  std::uint64_t waiting = 0;
  for (int round = 0; round < 2; ++round) {  // the second begins with what the first left over
    total = 0;
    for (const std::uint32_t come : at) {
      waiting += come;
      if (waiting > 0) --waiting;
      total += waiting;
    }
  }
  return static_cast<double>(total) / static_cast<double>(keys);
}

std::uint32_t slots_of(std::uint64_t keys, double load) {
  return static_cast<std::uint32_t>(static_cast<double>(keys) / load) + 1;
}

TEST(ProbingTheoryTest, OfUniformAddresses) {
  EXPECT_NEAR(uniform_collisions(0.70), 1.1667, 1e-4);
  EXPECT_NEAR(uniform_collisions(0.50), 0.50, 1e-12);
  EXPECT_NEAR(uniform_collisions(0.25), 0.1667, 1e-4);
}

TEST(ProbingTheoryTest, APowerOfTwoFoldsNothing) {
  const FoldedLoad load = folded_load(1 << 19, 1 << 20);
  EXPECT_EQ(load.doubled, 0);
  EXPECT_NEAR(load.collisions, 0.5, 1e-12);
}

TEST(ProbingTheoryTest, AgreesWithProbing) {
  constexpr std::uint64_t kKeys = 10'935'928 / 16;  // the document's tables, a 16th
  for (const double load : {0.65, 0.60, 0.55, 0.50, 0.45, 0.40, 0.35, 0.30, 0.25}) {
    const std::uint32_t slots = slots_of(kKeys, load);
    const FoldedLoad folded = folded_load(kKeys, slots);
    EXPECT_NEAR(simulated(kKeys, slots) / folded.collisions, 1, 0.03) << load;
    EXPECT_GT(folded.collisions, uniform_collisions(load) * 0.99) << load;
  }
}

TEST(ProbingTheoryTest, AgreesWithTheDocument) {
  constexpr std::uint64_t kKeys = 10'935'928;
  const std::vector<std::pair<double, double>> printed{{0.65, 0.94}, {0.60, 0.88}, {0.55, 0.81},
                                                       {0.50, 0.73}, {0.45, 0.62}, {0.40, 0.50},
                                                       {0.35, 0.34}, {0.30, 0.23}, {0.25, 0.20}};
  for (const auto& [load, collisions] : printed) {
    EXPECT_NEAR(folded_load(kKeys, slots_of(kKeys, load)).collisions, collisions, 0.015) << load;
  }
}

TEST(ProbingTheoryTest, AboveOneTheSurplusRunsOver) {
  constexpr std::uint64_t kKeys = 10'935'928 / 16;
  const std::uint32_t slots = slots_of(kKeys, 0.70);
  const FoldedLoad folded = folded_load(kKeys, slots);
  EXPECT_GT(folded.twice, 1.3);
  EXPECT_GT(folded.collisions, 1000);
  EXPECT_NEAR(simulated(kKeys, slots) / folded.collisions, 1, 0.05);
  // Four times as many keys: four times as many collisions of each.
  EXPECT_NEAR(folded_load(4 * kKeys, 4 * slots).collisions / folded.collisions, 4, 0.1);
}

}  // namespace
}  // namespace crivo::experiments
