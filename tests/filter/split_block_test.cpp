// SPDX-License-Identifier: Apache-2.0
// What is the split-block Bloom filter's own: the kernels agree, the rate is exact, blocks are as
// few as they can be.
#include "structures/split_block/split_block.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/cpu.hpp"
#include "file/section_types.hpp"
#include "structures/split_block/build/split_block.hpp"
#include "support/errors.hpp"
#include "support/filters.hpp"
#include "support/hashes.hpp"
#include "support/sizes.hpp"

namespace crivo::filter {
namespace {

using namespace split_block;
using test::random_hashes;

const Builder& split_block_type() {
  return *std::ranges::find(builders(), "split-block-bloom", &Builder::name);
}

FilterOptions with_fpr(double fpr) {
  FilterOptions options;
  options.type = split_block_type().name;
  options.fpr = fpr;
  return options;
}

FilterOptions split_block_with_bits(double bits) {
  FilterOptions options;
  options.type = split_block_type().name;
  options.bits = bits;
  return options;
}

TEST(SplitBlock, KernelsFillAlike) {
  if (base::cpu() < base::Cpu::avx2) return;
  for (const std::uint64_t n : {0U, 1U, 100U, 10'000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
    for (const std::uint64_t blocks : {1U, 2U, 7U, 1000U}) {
      base::Bytes plain(blocks * kBlockBytes, std::byte{1});
      base::Bytes fast(blocks * kBlockBytes, std::byte{2});
      const Ones ones = fill(hashes.partition(0, 0), blocks, 0, blocks, plain.data());
      EXPECT_TRUE(ones == fill_avx2(hashes.partition(0, 0), blocks, 0, blocks, fast.data()));
      EXPECT_EQ(plain, fast) << n << " keys, " << blocks << " blocks";
    }
  }
}

TEST(SplitBlock, KernelsAddAlike) {
  if (base::cpu() < base::Cpu::avx2) return;
  std::vector<std::uint64_t> hashes;
  for (const Hash128 hash : random_hashes(5'000)) hashes.push_back(hash.hi);
  for (const std::uint64_t blocks : {1U, 7U, 1000U}) {
    base::Bytes plain(blocks * kBlockBytes);
    base::Bytes fast(blocks * kBlockBytes);
    add(hashes, blocks, plain.data());
    add_avx2(hashes, blocks, fast.data());
    EXPECT_EQ(plain, fast) << blocks << " blocks";
  }
}

/// A filter of far too many blocks is halved as long as the rate allows it, and no further.
TEST(SplitBlock, FoldsToTheRate) {
  constexpr std::uint64_t kRate = UINT64_MAX / 100;
  for (const std::uint64_t n : {0U, 1U, 300U, 20'000U}) {
    std::vector<std::uint64_t> hashes;
    for (const Hash128 hash : random_hashes(n)) hashes.push_back(hash.hi);
    base::Bytes data(std::size_t{4096} * kBlockBytes);
    add_any(hashes, 4096, data.data());
    const std::uint64_t blocks = fold(data, kRate);
    data.resize(blocks * kBlockBytes);
    // Those of a filter that was made of so many blocks.
    base::Bytes made(data.size());
    add_any(hashes, blocks, made.data());
    EXPECT_EQ(data, made);
    EXPECT_LE(exact_rate(data), kRate);
    EXPECT_EQ(blocks, n <= 1 ? 1 : n == 300 ? 16 : 1024);
    if (blocks == 1) continue;
    base::Bytes half(data.size() / 2);
    add_any(hashes, blocks / 2, half.data());
    EXPECT_GT(exact_rate(half), kRate);
  }
}

/// A key's bits are where the specification of Parquet has them.
TEST(SplitBlock, SetsTheBitsOfOneKey) {
  const Hash128 hash{0x0123456789abcdef, 0};
  const auto hashes = stream::SortedHashes::from_unsorted(std::vector{hash});
  const base::Bytes section =
      test::build_filter(split_block_type(), hashes, split_block_with_bits(256));
  ASSERT_EQ(section.size(), 64U + 32U + 8U);
  const std::uint32_t salts[] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
  for (std::size_t i = 0; i < 8; ++i) {
    const std::uint32_t bit = (0x89abcdefU * salts[i]) >> 27;
    EXPECT_EQ(base::load_le<std::uint32_t>(section.data() + 64 + 4 * i), 1U << bit);
  }
}

/// The rate stated is that of the bits: the mean over blocks of the product of their words' ones.
TEST(SplitBlock, SaysTheRateOfItsBits) {
  for (const std::uint64_t n : {1U, 65U, 1000U, 50'000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
    const base::Bytes section = test::build_filter(split_block_type(), hashes, with_fpr(1.0 / 300));
    double sum = 0;
    for (std::size_t block = 64; block + 8 < section.size(); block += 32) {
      double product = 1;
      for (std::size_t word = block; word < block + 32; word += 4) {
        product *= std::popcount(base::load_le<std::uint32_t>(section.data() + word)) / 32.0;
      }
      sum += product;
    }
    const double rate = sum / (static_cast<double>(section.size() - 64 - 8) / 32);
    EXPECT_NEAR(split_block_type().type().open(section)->fpr(), rate, 1e-12);
    EXPECT_LE(rate, 1.0 / 300);
  }
}

double real(std::uint64_t rate) {
  return std::ldexp(static_cast<double>(rate), -64);
}

TEST(SplitBlock, RateFollowsTheBlocks) {
  // 12 bits a key: 184.5 by the Poisson mixture; far from what one large Bloom filter would have.
  EXPECT_NEAR(1 / real(rate_of(10'000'000, 10'000'000 * 12 / 256).mean), 184.5, 0.1);
  EXPECT_NEAR(real(rate_of(1, 1).mean), std::pow(1.0 / 32, 8), 1e-16);
  EXPECT_EQ(rate_of(0, 1).mean, 0U);
  for (const std::uint64_t n : {1U, 100U, 10'000U, 100'000'000U}) {
    for (const double fpr : {0.9, 0.1, 0.01, 1e-5}) {
      const std::uint64_t blocks = blocks_for(n, static_cast<std::uint64_t>(std::ldexp(fpr, 64)));
      const Rate rate = rate_of(n, blocks);
      EXPECT_LE(real(rate.mean) + kDeviations * real(rate.deviation), fpr + 1e-18);
      if (blocks == 1 || blocks == (n + 255) / 256) continue;
      const Rate before = rate_of(n, blocks - 1);
      EXPECT_GT(real(before.mean) + kDeviations * real(before.deviation), fpr)
          << n << " keys, " << fpr;
    }
  }
}

/// The sum of formats/split-block-bloom.md, in floating point.
TEST(SplitBlock, RateIsTheSumOverTheKeysOfABlock) {
  for (const std::uint64_t n : {1U, 2U, 30U, 1000U, 20'000U}) {
    for (const std::uint64_t blocks : {1U, 2U, 7U, 100U, 1000U}) {
      double mean = 0;
      double square = 0;
      for (std::uint64_t k = 0; k <= n; ++k) {
        const auto keys = static_cast<double>(n);
        const auto here = static_cast<double>(k);
        const double share = 1 / static_cast<double>(blocks);
        const double chosen =
            std::lgamma(keys + 1) - std::lgamma(here + 1) - std::lgamma(keys - here + 1);
        const double weight =
            blocks == 1
                ? static_cast<double>(k == n)
                : std::exp(chosen + here * std::log(share) + (keys - here) * std::log1p(-share));
        const double one = std::pow(31.0 / 32, here);
        const double set = 1 - one;
        const double both = std::max(0.0, 1 - 2 * one + std::pow(30.0 / 32, here));
        mean += weight * std::pow(set, 8);
        square += weight * std::pow(set / 32 + 31.0 / 32 * both, 8);
      }
      const double deviation =
          std::sqrt(std::max(0.0, square - mean * mean) / static_cast<double>(blocks));
      const Rate rate = rate_of(n, blocks);
      EXPECT_NEAR(real(rate.mean), mean, 1e-9 * mean + 1e-17) << n << " keys, " << blocks;
      EXPECT_NEAR(real(rate.deviation), deviation, 1e-5 * deviation + 1e-8)
          << n << " keys, " << blocks;
    }
  }
}

/// The number of blocks is that of n; a set whose filter has a higher rate than was asked is rare.
TEST(SplitBlock, NearlyEverySetKeepsTheRate) {
  unsigned sets = 0;
  unsigned above = 0;
  for (const std::uint64_t n : {1U, 10U, 100U, 1000U, 3000U}) {
    for (const double fpr : {0.1, 1.0 / 256, 0.0001}) {
      for (std::uint64_t salt = 0; salt < 200 / test::kFewer; ++salt, ++sets) {
        const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n, 100 + salt));
        const base::Bytes section = test::build_filter(split_block_type(), hashes, with_fpr(fpr));
        EXPECT_NEAR(
            static_cast<double>(section.size()),
            split_block_type().forecast(n, with_fpr(fpr)).bits_per_key * static_cast<double>(n) / 8,
            72.1);
        above += split_block_type().type().open(section)->fpr() > fpr ? 1 : 0;
      }
    }
  }
  EXPECT_LE(above, sets / 200) << "of " << sets;
}

TEST(SplitBlock, TakesBitsPerKey) {
  const auto set = random_hashes(5000);
  const auto hashes = stream::SortedHashes::from_unsorted(set);
  for (const double bits : {1.0, 7.5, 12.0, 100.0, 256.0}) {
    const base::Bytes section =
        test::build_filter(split_block_type(), hashes, split_block_with_bits(bits));
    EXPECT_EQ(section.size(), 72 + 32 * static_cast<std::size_t>(std::ceil(5000 * bits / 256)));
    EXPECT_EQ(test::count_maybes(*split_block_type().type().open(section), set), set.size());
  }
}

TEST(SplitBlock, RefusesWhatItCannotBe) {
  using test::error_of;
  const auto plan = [](std::uint64_t n, const FilterOptions& options) {
    return [n, options] { (void)split_block_type().forecast(n, options); };
  };
  error_of(ErrorKind::usage, plan(1, with_fpr(1e-9)));
  error_of(ErrorKind::usage, plan(1, split_block_with_bits(0.5)));
  error_of(ErrorKind::usage, plan(1, split_block_with_bits(257)));
  error_of(ErrorKind::usage, plan(std::uint64_t{1} << 40, with_fpr(0.01)));
  error_of(ErrorKind::usage, plan(~std::uint64_t{0}, split_block_with_bits(8)));
}

TEST(SplitBlock, HoldsEveryKeyOfHostileSets) {
  for (const auto& set : test::hostile_sets(3000)) {
    const auto hashes = stream::SortedHashes::from_unsorted(set);
    const base::Bytes section =
        test::build_filter(split_block_type(), hashes, split_block_with_bits(12));
    ASSERT_EQ(test::count_maybes(*split_block_type().type().open(section), set), set.size());
  }
}

}  // namespace
}  // namespace crivo::filter
