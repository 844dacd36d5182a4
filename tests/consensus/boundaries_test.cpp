// SPDX-License-Identifier: Apache-2.0
// Buckets' boundaries lead every hash to its bucket, and uneven hashes are refused.

#include "structures/consensus/boundaries.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "support/hashes.hpp"

namespace crivo::consensus {
namespace {

/// The boundaries of one partition, whose hashes share their first `partition_bits` bits, with as
/// many buckets as its hashes fill.
struct Written {
  Spacing spacing;
  std::optional<Boundaries::Sizes> sizes;
  base::Bytes bytes;
};

Written write(std::vector<Hash128> hashes, unsigned log_keys, unsigned partition_bits = 0) {
  std::ranges::sort(hashes);
  const Spacing spacing{log_keys, partition_bits};
  const auto buckets = static_cast<std::uint16_t>(hashes.size() >> log_keys);
  base::FieldWriter out;
  const auto sizes = Boundaries::write(hashes, spacing, buckets, out);
  return {spacing, sizes, out.take()};
}

Boundaries read(const Written& written) {
  base::FieldReader reader(written.bytes, "boundaries");
  const Boundaries boundaries(written.sizes.value(), reader);
  reader.expect_end();
  EXPECT_EQ(boundaries.end(), written.bytes.data() + written.bytes.size());
  return boundaries;
}

/// Whether each hash is said to be in the bucket that it is in.
void expect_right(std::vector<Hash128> hashes, unsigned log_keys, unsigned partition_bits = 0) {
  const Written written = write(hashes, log_keys, partition_bits);
  ASSERT_TRUE(written.sizes.has_value());
  const Boundaries boundaries = read(written);
  std::ranges::sort(hashes);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    ASSERT_EQ(boundaries.bucket(hashes[i], written.spacing), i >> log_keys)
        << "n " << hashes.size() << ", hash " << i;
  }
}

TEST(ConsensusBoundaries, FindTheBucketOfEveryHash) {
  for (const unsigned log_keys : {9U, 10U, 11U, 12U}) {
    const std::uint64_t k = std::uint64_t{1} << log_keys;
    for (const std::uint64_t n :
         {k, k + 1, 2 * k - 1, 2 * k, 2 * k + 1, 15 * k, 16 * k, 100 * k + 7}) {
      expect_right(test::random_hashes(n, n), log_keys);
    }
  }
  expect_right(test::random_hashes(250'000, 1), 11);
}

TEST(ConsensusBoundaries, FindTheBucketOfEveryHashOfAPartition) {
  for (const unsigned partition_bits : {1U, 7U}) {
    auto hashes = test::random_hashes(200'000, 2);
    for (Hash128& hash : hashes) hash.hi = hash.hi >> partition_bits | std::uint64_t{1} << 63;
    expect_right(hashes, 11, partition_bits);
  }
}

TEST(ConsensusBoundaries, HashesWithOneEstimate) {
  // In groups of four, of which the last three follow the first at once: buckets that begin within
  // a group are exceptions.
  std::vector<Hash128> hashes;
  for (const Hash128& hash : test::random_hashes(5000, 3)) {
    for (std::uint64_t i = 0; i < 3; ++i) hashes.push_back({hash.hi, hash.lo + i});
    if (hashes.size() % 2 == 0) hashes.push_back({hash.hi + 1, hash.lo});
  }
  for (const unsigned log_keys : {9U, 11U}) expect_right(hashes, log_keys);
}

TEST(ConsensusBoundaries, RefuseUnevenHashes) {
  auto hashes = test::random_hashes(20'000);
  for (Hash128& hash : hashes) hash.hi >>= 6;
  EXPECT_FALSE(write(hashes, 10).sizes.has_value());
  for (Hash128& hash : hashes) hash.hi = 77;
  const Written equal = write(hashes, 10);
  EXPECT_FALSE(equal.sizes.has_value());
  EXPECT_TRUE(equal.bytes.empty());
}

TEST(ConsensusBoundaries, AbsentHashesHaveSomeBucket) {
  const auto hashes = test::random_hashes(50'000);
  Written written = write(hashes, 10);
  for (int round = 0; round < 2; ++round) {
    const Boundaries boundaries = read(written);
    for (const Hash128& hash : test::random_hashes(20'000, 9)) {
      ASSERT_LE(boundaries.bucket(hash, written.spacing), hashes.size() >> 10);
    }
    ASSERT_LE(boundaries.bucket({0, 0}, written.spacing), hashes.size() >> 10);
    ASSERT_LE(boundaries.bucket({~std::uint64_t{0}, ~std::uint64_t{0}}, written.spacing),
              hashes.size() >> 10);
    // And again with garbage for anchors and thresholds.
    for (std::size_t i = 0; i < 80; ++i) written.bytes[i] = static_cast<std::byte>(base::mix64(i));
    for (std::uint32_t& anchor : written.sizes->anchors)
      anchor = static_cast<std::uint32_t>(base::mix64(anchor));
  }
}

}  // namespace
}  // namespace crivo::consensus
