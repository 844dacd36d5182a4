// SPDX-License-Identifier: Apache-2.0
// Whatever is built of a key set has the same bytes, whether the set is in memory or leased from a
// stream that was spilled, and on however many threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "stream/sorted_hashes.hpp"
#include "structures/build/filter.hpp"
#include "structures/build/mphf.hpp"
#include "structures/build/static_function.hpp"
#include "structures/filter.hpp"
#include "structures/static_function.hpp"
#include "support/hashes.hpp"
#include "support/sanitizers.hpp"
#include "support/spilled_keys.hpp"

namespace crivo {
namespace {

using stream::HashedValue;
using test::random_hashes;
using test::SpilledKeys;

/// A set that is spilled, and the threads that build of it.
struct Spilling {
  unsigned partition_bits;
  unsigned threads;
};
/// Under sanitizers those that differ most.
const std::vector<Spilling> kSpillings =
    test::kSanitized ? std::vector<Spilling>{{0, 3}, {4, 1}}
                     : std::vector<Spilling>{{0, 3}, {4, 1}, {4, 3}, {7, 3}};

/// What build(keys, threads) makes of the same set in several ways.
template <typename Build, typename HashedKey>
void expect_same_bytes(const stream::HashSource& in_memory,
                       const std::vector<HashedKey>& hashed_keys,
                       const std::vector<Spilling>& spillings, Build&& build) {
  const base::Bytes expected = build(in_memory, 1);
  for (const auto [partition_bits, threads] : spillings) {
    const SpilledKeys<HashedKey> spilled(hashed_keys, partition_bits);
    EXPECT_GT(spilled.temp_bytes(), 0U);
    EXPECT_TRUE(build(spilled.keys(), threads) == expected)
        << "spilled in 2^" << partition_bits << " partitions, on " << threads << " threads";
  }
}

constexpr std::uint64_t kKeys = 100'000;
/// Of these there are several shards, regions and segments.
constexpr std::uint64_t kManyKeys = 900'000;

void expect_same_filters(std::uint64_t count, const std::vector<std::string_view>& types,
                         const std::vector<Spilling>& spillings) {
  const auto set = random_hashes(count);
  const auto in_memory = stream::SortedHashes::from_unsorted(set);
  for (const std::string_view name : types) {
    SCOPED_TRACE(name);
    const filter::Builder& type =
        *std::ranges::find(filter::builders(), name, &filter::Builder::name);
    FilterOptions options;
    options.type = name;
    options.fpr = 0.002;
    expect_same_bytes(in_memory, set, spillings,
                      [&](const stream::HashSource& keys, unsigned threads) {
                        base::Progress progress;
                        base::MemorySink sink;
                        type.build(keys, options, {threads, progress}, sink);
                        return sink.take();
                      });
  }
}

TEST(EveryStructure, FilterHasTheSameBytesFromASpilledStream) {
  const auto names = filter::type_names();
  expect_same_filters(kKeys, {names.begin(), names.end()}, kSpillings);
  std::vector<std::string_view> many{"fuse", "cuckoo"};
  if (!test::kSanitized) many.insert(many.end(), {"ribbon", "split-block-bloom", "bloom"});
  expect_same_filters(kManyKeys, many, {{7, 3}});
}

TEST(EveryStructure, MapHasTheSameBytesFromASpilledStream) {
  std::vector<HashedValue> hashed_keys;
  for (const Hash128 hash : random_hashes(kKeys)) {
    hashed_keys.push_back({hash, std::min<std::uint64_t>(hash.lo % 3000, hash.lo >> 32 & 1023)});
  }
  auto sorted = hashed_keys;
  std::ranges::sort(sorted);
  std::vector<Hash128> hashes;
  std::vector<std::uint64_t> values;
  for (const HashedValue& hashed : sorted) {
    hashes.push_back(hashed.hash);
    values.push_back(hashed.value);
  }
  const stream::SortedHashes in_memory(hashes, values);
  for (const map::Builder& algorithm : map::builders()) {
    SCOPED_TRACE(algorithm.name);
    expect_same_bytes(in_memory, hashed_keys, kSpillings,
                      [&](const stream::HashSource& keys, unsigned threads) {
                        base::Progress progress;
                        base::MemorySink sink;
                        algorithm.build(keys, {10, 4}, {}, {threads, progress}, sink);
                        return sink.take();
                      });
  }
}

}  // namespace
}  // namespace crivo
