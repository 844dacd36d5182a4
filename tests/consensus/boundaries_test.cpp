#include "consensus/boundaries.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "crivo/error.hpp"
#include "stream/sorted_hashes.hpp"
#include "support/hashes.hpp"

namespace crivo::consensus {
namespace {

struct Written {
  bool even;
  file::Bytes bytes;
};

Written write(const std::vector<Hash128>& hashes, unsigned log_keys) {
  file::MemorySink sink;
  const bool even =
      Boundaries::write(stream::SortedHashes::from_unsorted(hashes).all().hashes, log_keys, sink);
  return {even, sink.take()};
}

/// Whether each hash is said to be in the bucket that it is in.
void expect_right(std::vector<Hash128> hashes, unsigned log_keys) {
  const Written written = write(hashes, log_keys);
  ASSERT_TRUE(written.even);
  file::FieldReader reader(written.bytes, "boundaries");
  const Boundaries boundaries(reader, hashes.size(), log_keys);
  reader.expect_end();
  std::ranges::sort(hashes);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    ASSERT_EQ(boundaries.bucket(hashes[i]), i >> log_keys)
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
  expect_right(test::random_hashes(1'000'000, 1), 11);
}

TEST(ConsensusBoundaries, HashesWithOneEstimate) {
  // In groups of four, of which the last three follow the first at once: buckets that begin within
  // a group are exceptions.
  std::vector<Hash128> hashes;
  for (const Hash128& hash : test::random_hashes(20'000, 3)) {
    for (std::uint64_t i = 0; i < 3; ++i) hashes.push_back({hash.hi, hash.lo + i});
    if (hashes.size() % 2 == 0) hashes.push_back({hash.hi + 1, hash.lo});
  }
  for (const unsigned log_keys : {9U, 11U}) expect_right(hashes, log_keys);
}

TEST(ConsensusBoundaries, RefuseUnevenHashes) {
  auto hashes = test::random_hashes(20'000);
  for (Hash128& hash : hashes) hash.hi >>= 3;
  EXPECT_FALSE(write(hashes, 10).even);
  for (Hash128& hash : hashes) hash.hi = 77;
  const Written equal = write(hashes, 10);
  EXPECT_FALSE(equal.even);
  EXPECT_TRUE(equal.bytes.empty());
}

TEST(ConsensusBoundaries, AbsentHashesHaveSomeBucket) {
  const auto hashes = test::random_hashes(50'000);
  Written written = write(hashes, 10);
  for (int round = 0; round < 2; ++round) {
    file::FieldReader reader(written.bytes, "boundaries");
    const Boundaries boundaries(reader, hashes.size(), 10);
    for (const Hash128& hash : test::random_hashes(20'000, 9)) {
      ASSERT_LE(boundaries.bucket(hash), hashes.size() >> 10);
    }
    ASSERT_LE(boundaries.bucket({0, 0}), hashes.size() >> 10);
    ASSERT_LE(boundaries.bucket({~std::uint64_t{0}, ~std::uint64_t{0}}), hashes.size() >> 10);
    // And again with garbage for anchors and thresholds.
    for (std::size_t i = 0; i < 80; ++i) {
      if (i < 20 || i >= 24) written.bytes[i] = static_cast<std::byte>(util::mix64(i));
    }
  }
}

TEST(ConsensusBoundaries, RefuseMoreExceptionsThanBuckets) {
  const Written written = write(test::random_hashes(5000), 10);
  file::Bytes changed = written.bytes;
  changed[24] = std::byte{200};  // after two anchors, five thresholds and their padding
  file::FieldReader reader(changed, "boundaries");
  EXPECT_THROW(Boundaries(reader, 5000, 10), Error);
}

}  // namespace
}  // namespace crivo::consensus
