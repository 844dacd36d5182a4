// SPDX-License-Identifier: Apache-2.0
// The theory of linear probing agrees with tables that were filled, and with the documents.

#include "experiments/probing_theory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "experiments/dictionaries/linear_probing.hpp"
#include "experiments/named_hashes.hpp"
#include "experiments/probing_count.hpp"
#include "gen/permutation.hpp"
#include "structures/classic/range.hpp"

namespace crivo::experiments {
namespace {

std::vector<std::uint32_t> random_values(std::uint64_t count) {
  std::vector<std::uint32_t> values;
  for (std::uint64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<std::uint32_t>(gen::derive(1, i)));
  }
  return values;
}

/// Collisions a key of linear probing over pseudo-random values in the folding range.
double simulated(std::uint64_t keys, std::uint32_t slots) {
  const auto total = probing_collisions(random_values(keys), slots, classic::Range::mask_xor);
  return static_cast<double>(total) / static_cast<double>(keys);
}

std::uint32_t slots_of(std::uint64_t keys, double load) {
  return static_cast<std::uint32_t>(static_cast<double>(keys) / load) + 1;
}

TEST(ProbingCountTest, IsThatOfTheTable) {
  const KeySet words = KeySet::generate(gen::Kind::words, 3000);
  for (const NamedHash& named : kNamedHashes) {
    for (const double load : {0.999, 0.9, 0.7, 0.5, 0.1}) {
      const hashing::SeededHash hash = seeded(named, 7);
      const LinearProbing table(words, load, {hash, named.range});
      std::vector<std::uint32_t> values;
      for (std::uint64_t i = 0; i < words.size(); ++i) {
        values.push_back(static_cast<std::uint32_t>(hash(words[i]).hi >> 32));
      }
      EXPECT_EQ(probing_collisions(values, table.slots(), named.range), table.collisions())
          << named.name << " " << load;
    }
  }
}

TEST(ProbingCountTest, OfFew) {
  const auto modulo = [](const std::vector<std::uint32_t>& values, std::uint32_t slots) {
    return probing_collisions(values, slots, classic::Range::modulo);
  };
  EXPECT_EQ(modulo({}, 1), 0U);
  EXPECT_EQ(modulo({5}, 2), 0U);
  EXPECT_EQ(modulo({6, 1, 2, 9, 14, 3}, 7), 2U);  // the dissertation's Figure 3.2
  EXPECT_EQ(modulo({3, 3, 3}, 4), 3U);            // round the end
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
