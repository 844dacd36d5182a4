// SPDX-License-Identifier: Apache-2.0
// Coded values: what is built in comes out, whatever the distribution, in few bits.
#include "structures/csf/function.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "crivo/error.hpp"
#include "structures/csf/build/histogram.hpp"
#include "support/coded.hpp"
#include "support/hashes.hpp"
#include "support/sanitizers.hpp"
#include "support/spilled_keys.hpp"

namespace crivo::csf {
namespace {

using test::build_coded;
using test::random_hashes;

double entropy_of(const std::vector<std::uint64_t>& values) {
  std::map<std::uint64_t, double> counts;
  for (const std::uint64_t value : values) ++counts[value];
  const auto n = static_cast<double>(values.size());
  double entropy = 0;
  for (const auto& [value, count] : counts) entropy -= count / n * std::log2(count / n);
  return entropy;
}

/// Bits a key of a section, after checking that every key has its value there.
double expect_values(const stream::SortedHashes& hashes, const std::vector<std::uint64_t>& values,
                     const base::Bytes& section) {
  const Function function(base::ByteView{section});
  EXPECT_EQ(function.size(), hashes.size());
  std::uint64_t largest = 0;
  for (const std::uint64_t value : values) largest = std::max(largest, value);
  EXPECT_EQ(function.width(), std::bit_width(largest));
  const auto keys = hashes.partition(0, 0);
  std::vector<std::uint64_t> batch(keys.size());
  function.values(keys, batch.data());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t value = function.value(keys[i]);
    if (value != values[i] || batch[i] != values[i]) {
      ADD_FAILURE() << "key " << i << " of " << keys.size() << ": " << value << " and " << batch[i]
                    << " instead of " << values[i];
      break;
    }
  }
  return 8.0 * static_cast<double>(section.size()) / static_cast<double>(keys.size());
}
double expect_values(const stream::SortedHashes& hashes, const std::vector<std::uint64_t>& values) {
  return expect_values(hashes, values, build_coded(hashes, values));
}

TEST(Function, ReturnsTheValuesOfSmallSets) {
  for (std::uint64_t n = 0; n <= 300; n < 70 ? ++n : n += 23) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n, n));
    for (const auto& set : test::distributions(n)) {
      SCOPED_TRACE(set.name);
      expect_values(hashes, set.values);
    }
  }
}

TEST(Function, ReturnsTheValuesAtEdgeSizes) {
  for (const std::uint64_t n : {255U, 256U, 257U, 1000U, 11'500U, 20'001U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
    for (const auto& set : test::distributions(n)) {
      SCOPED_TRACE(set.name);
      expect_values(hashes, set.values);
    }
  }
}

TEST(Function, ReturnsValuesOfAnAlphabetLargerThanACode) {
  const std::uint64_t n = 150'000;
  const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
  auto values = test::uniform_values(n, 64);  // half of them distinct, the others skewed
  const auto skewed = test::geometric_values(n, 0.5);
  for (std::uint64_t i = 0; i < n; i += 2) values[i] = skewed[i];
  const double bits = expect_values(hashes, values);
  EXPECT_LT(bits, 0.5 * 64.5 + 0.5 * 2.1 + 1.1);
  const base::Bytes section = build_coded(hashes, values);
  EXPECT_NEAR(Function(base::ByteView{section}).entropy(), entropy_of(values), 1e-6);
}

/// The codes are made for the values of a sample; those that it lacks, and those that it has by
/// chance, come out all the same.
TEST(Function, ReturnsValuesOfWhichASampleWasCounted) {
  const std::uint64_t n = kSampleKeys + 200'000;
  auto values = test::zipf_values(n, 300'000, 1.1);
  for (std::uint64_t i = 0; i < n; i += 5) values[i] = base::mix64(i) >> 30;
  const auto hashes = test::ascending_hashes(n);
  const stream::SortedHashes keys(hashes, values);
  const base::Bytes section = build_coded(keys, values);
  EXPECT_LT(expect_values(keys, values, section), 18.4);  // 18.1 by the counts of all

  std::vector<stream::HashedValue> elements;
  for (std::uint64_t i = 0; i < n; ++i) elements.push_back({hashes[i], values[i]});
  const test::SpilledKeys<stream::HashedValue> spilled(elements, 7);
  ASSERT_GT(spilled.temp_bytes(), 0U);
  base::Progress progress;
  base::MemorySink sink;
  build_coded(spilled.keys(), {}, {3, progress}, sink);
  EXPECT_TRUE(sink.take() == section);
  EXPECT_EQ(progress.done(), n);
}

/// Several partitions, half of whose keys escape.
TEST(Function, ReturnsValuesOfManyKeysThatEscape) {
  const std::uint64_t n = test::kSanitized ? 600'000 : 2'400'000;
  const auto values = test::geometric_values(n, 0.5);
  auto skewed = values;
  for (std::uint64_t i = 0; i < n; ++i) {
    if (values[i] > 0) skewed[i] = base::mix64(i) >> 40;
  }
  const auto hashes = test::ascending_hashes(n);
  const stream::SortedHashes keys(hashes, skewed);
  const base::Bytes section = build_coded(keys, skewed);
  EXPECT_LT(expect_values(keys, skewed, section), 0.5 * 24.2 + 1.1);
  EXPECT_TRUE(build_coded(keys, skewed, 3) == section);
}

TEST(Function, OtherKeysGetValuesOfTheAlphabet) {
  const std::vector<std::uint64_t> alphabet{3, 1000, 70'000, 5, UINT64_MAX / 3};
  for (const double p : {0.5, 0.95}) {
    auto values = test::geometric_values(5000, p);
    for (std::uint64_t& value : values) value = alphabet[std::min<std::uint64_t>(value, 4)];
    const std::set<std::uint64_t> known(values.begin(), values.end());
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(values.size()));
    const base::Bytes section = build_coded(hashes, values);
    const Function function(base::ByteView{section});
    for (const Hash128 other : random_hashes(5000, 9)) {
      ASSERT_TRUE(known.contains(function.value(other)));
    }
  }
}

TEST(Function, HostileHashesBuild) {
  for (const std::uint64_t n : {1000U, 30'000U}) {
    for (const auto& set : test::hostile_sets(n)) {
      const auto hashes = stream::SortedHashes::from_unsorted(set);
      ASSERT_EQ(hashes.size(), n);
      expect_values(hashes, test::geometric_values(n, 0.5));
      expect_values(hashes, test::geometric_values(n, 0.9));
    }
  }
}

TEST(Function, TakesLittleMoreThanTheEntropy) {
  const std::uint64_t n = 1'000'000;
  const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
  const struct {
    std::vector<std::uint64_t> values;
    double most;  // bits a key per bit of entropy
  } cases[] = {{test::geometric_values(n, 0.5), 1.03},
               {test::geometric_values(n, 0.8), 1.12},
               {test::two_values(n, 0.05, 0, 1), 1.12}};
  for (const auto& c : cases) {
    const double entropy = entropy_of(c.values);
    const base::Bytes section = build_coded(hashes, c.values);
    EXPECT_NEAR(Function(base::ByteView{section}).entropy(), entropy, 1e-6);
    EXPECT_LT(8.0 * static_cast<double>(section.size()) / static_cast<double>(n), c.most * entropy);
  }
}

TEST(Function, TakesLittleMoreThanTheEntropyOfZipf) {
  const std::uint64_t n = 150'000;
  const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
  for (const unsigned symbols : {100U, 1000U}) {
    const auto values = test::zipf_values(n, symbols, 1.2);
    EXPECT_LT(expect_values(hashes, values), 1.05 * entropy_of(values)) << symbols;
  }
}

TEST(Function, ValuesThatAreAllEqualTakeNoBits) {
  const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(10'000));
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, UINT64_MAX}) {
    EXPECT_LE(build_coded(hashes, std::vector<std::uint64_t>(10'000, value)).size(), 128U);
  }
}

TEST(Function, UniformValuesTakeTheirWidth) {
  const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(100'000));
  for (const unsigned width : {1U, 8U, 24U, 64U}) {
    EXPECT_LT(expect_values(hashes, test::uniform_values(100'000, width)), 1.01 * width + 0.03);
  }
}

TEST(Function, BytesDoNotDependOnThreads) {
  for (const auto& values :
       {test::zipf_values(280'000, 1000, 1.2),  // two partitions
        test::geometric_values(150'000, 0.8), test::uniform_values(80'000, 20)}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(values.size()));
    const base::Bytes one = build_coded(hashes, values, 1);
    EXPECT_EQ(build_coded(hashes, values, 2), one);
    EXPECT_EQ(build_coded(hashes, values, 3), one);
  }
}

TEST(Function, ProgressCountsEveryKey) {
  for (const std::uint64_t n : {0U, 100U, 25'000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
    for (const auto& set : test::distributions(n)) {
      base::Progress progress;
      base::MemorySink sink;
      build_coded(hashes, test::source_of(set.values), {2, progress}, sink);
      EXPECT_EQ(progress.done(), n) << set.name;
    }
  }
}

}  // namespace
}  // namespace crivo::csf
