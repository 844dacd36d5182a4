// SPDX-License-Identifier: Apache-2.0
// What is the range filter's own: it finds every range with a key in it, and errs on ranges that
// are chosen by the keys no more often than on others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "crivo/error.hpp"
#include "file/section_types.hpp"
#include "hashing/range_hash.hpp"
#include "structures/filter.hpp"
#include "structures/range/shape.hpp"
#include "support/filters.hpp"

namespace crivo::filter {
namespace {

using Numbers = std::set<std::uint64_t>;

constexpr std::uint64_t kSeed = 7;
constexpr unsigned kShapes = 5;

const Builder& range_type() {
  return *std::ranges::find(builders(), "range", &Builder::name);
}

FilterOptions range_options(double fpr, std::uint64_t longest) {
  FilterOptions options;
  options.type = range_type().name;
  options.fpr = fpr;
  options.longest_range = longest;
  return options;
}

/// A filter of numbers, and ranges asked of it.
class BuiltRange {
 public:
  BuiltRange(const Numbers& numbers, const FilterOptions& options, unsigned threads = 1,
             std::uint64_t seed = kSeed)
      : seed_(seed) {
    std::vector<Hash128> hashes;
    for (const std::uint64_t number : numbers) hashes.push_back(hashing::range_hash(number, kSeed));
    section_ = test::build_filter(range_type(), stream::SortedHashes::from_unsorted(hashes),
                                  options, threads);
    filter_ = range_type().type().open(section_);
  }

  const base::Bytes& section() const { return section_; }
  const Membership& filter() const { return *filter_; }
  double bits_per_key() const {
    return 8 * static_cast<double>(section_.size()) / static_cast<double>(filter_->size());
  }

  /// Whether a range that crosses at most one border of runs may have a key.
  bool holds(std::uint64_t low, std::uint64_t high) const {
    std::vector<NumberRun> runs;
    for (;; ++low) {
      const std::uint64_t last = std::min(high, low | (hashing::kRunNumbers - 1));
      runs.push_back({hashing::range_hash(low, seed_), last});
      if (last == high) break;
      low = last;
    }
    const auto answers = std::make_unique<bool[]>(runs.size());
    filter_->contains_runs(runs, answers.get());
    bool any = false;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      EXPECT_EQ(answers[i], filter_->contains_run(runs[i]));
      any = any || answers[i];
    }
    return any;
  }

 private:
  std::uint64_t seed_;
  base::Bytes section_;
  std::unique_ptr<const Membership> filter_;
};

bool has_key(const Numbers& numbers, std::uint64_t low, std::uint64_t high) {
  const auto next = numbers.lower_bound(low);
  return next != numbers.end() && *next <= high;
}

/// Numbers as users have them: anywhere, dense, in clusters, at a distance, at the ends of all.
Numbers numbers_of(unsigned shape, std::size_t n, std::mt19937_64& random) {
  Numbers numbers;
  std::uint64_t next = random();
  while (numbers.size() < n) {
    switch (shape) {
      case 0:
        numbers.insert(random());
        break;
      case 1:
        numbers.insert(next++);
        break;
      case 2:
        if (random() % 100 == 0) next = random();
        numbers.insert(next += random() % 5);
        break;
      case 3:
        numbers.insert(next += 4096);
        break;
      default:
        numbers.insert(random() % 2 == 0 ? random() % (2 * n) : ~(random() % (2 * n)));
    }
  }
  return numbers;
}

TEST(RangeFilter, FindsEveryRangeWithAKey) {
  std::mt19937_64 random(1);
  for (unsigned shape = 0; shape < kShapes; ++shape) {
    for (const std::size_t n : {1U, 2U, 17U, 300U, 5000U}) {
      const Numbers numbers = numbers_of(shape, n, random);
      for (const std::uint64_t longest : {1U, 32U, 5000U}) {
        for (const double fpr : {0.5, 1.0 / 256, 1.0 / 100'000}) {
          const BuiltRange built(numbers, range_options(fpr, longest));
          ASSERT_EQ(built.filter().size(), n);
          for (const std::uint64_t number : numbers) {
            const std::uint64_t low = number - std::min(number, random() % longest);
            const std::uint64_t high = number + std::min(~number, random() % longest);
            ASSERT_TRUE(built.holds(low, high)) << low << " to " << high;
            ASSERT_TRUE(built.holds(number, number));
          }
        }
      }
    }
  }
}

TEST(RangeFilter, KeepsItsRateForChosenRanges) {
  constexpr double kRate = 1.0 / 64;
  constexpr std::uint64_t kSeeds = 20;
  std::mt19937_64 random(2);
  for (unsigned shape = 0; shape < kShapes; ++shape) {
    const Numbers numbers = numbers_of(shape, 5000, random);
    const std::vector<std::uint64_t> list(numbers.begin(), numbers.end());
    for (const std::uint64_t longest : {1U, 32U, 1024U}) {
      std::uint64_t asked = 0;
      std::uint64_t maybes = 0;
      for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const BuiltRange built(numbers, range_options(kRate, longest), 1, seed);
        EXPECT_LE(built.filter().fpr(), kRate);
        EXPECT_GT(built.filter().fpr(), 0.99 * kRate);
        for (int i = 0; i < 3000; ++i) {
          // Just beside a key, or anywhere.
          const std::uint64_t low = i % 2 == 0 ? list[random() % list.size()] + 1 : random();
          const std::uint64_t high = low + longest - 1;
          if (high < low || has_key(numbers, low, high)) continue;
          ++asked;
          maybes += built.holds(low, high) ? 1 : 0;
        }
      }
      // Where keys have few runs, it is all or nothing that a seed gives.
      const double expected = kRate * static_cast<double>(asked);
      const double most =
          shape == 1 || shape == 4 ? 2 * expected : expected + 4 * std::sqrt(expected);
      EXPECT_LE(static_cast<double>(maybes), most + 1)
          << "shape " << shape << ", ranges of " << longest;
    }
  }
}

TEST(RangeFilter, TakesTheBitsOfItsBound) {
  std::mt19937_64 random(3);
  const Numbers numbers = numbers_of(0, 200'000, random);
  for (const std::uint64_t longest : {1U, 32U, 1024U}) {
    for (const double fpr : {1.0 / 100, 1.0 / 1000}) {
      const BuiltRange built(numbers, range_options(fpr, longest));
      const double bound = std::log2(static_cast<double>(longest) / fpr) + 2;
      EXPECT_LT(built.bits_per_key(), bound + 0.3) << longest << ", " << fpr;
    }
  }
  FilterOptions asked = range_options(0.5, 32);
  asked.fpr.reset();
  asked.bits = 16;
  const BuiltRange built(numbers, asked);
  EXPECT_NEAR(built.bits_per_key(), 16.2, 0.2);
  EXPECT_NEAR(built.filter().fpr(), 32.0 / (1 << 14), 1e-4);
}

TEST(RangeFilter, BytesDoNotDependOnThreads) {
  std::mt19937_64 random(4);
  const Numbers numbers = numbers_of(2, 100'000, random);
  const FilterOptions options = range_options(1.0 / 256, 64);
  EXPECT_EQ(BuiltRange(numbers, options).section(), BuiltRange(numbers, options, 3).section());
}

TEST(RangeFilter, AnyByteMayBeAnythingForRanges) {
  std::mt19937_64 random(5);
  const Numbers numbers = numbers_of(2, 300, random);
  const base::Bytes section = BuiltRange(numbers, range_options(1.0 / 16, 64)).section();
  for (std::size_t at = 0; at < section.size(); ++at) {
    for (const unsigned value : {0U, 0x7fU, 0xffU}) {
      const auto damaged = std::make_unique<std::byte[]>(section.size());
      std::ranges::copy(section, damaged.get());
      damaged[at] = std::byte{static_cast<unsigned char>(value)};
      try {
        const auto filter = range_type().type().open({damaged.get(), section.size()});
        for (int i = 0; i < 20; ++i) {
          const std::uint64_t low = random();
          (void)filter->contains_run({hashing::range_hash(low, kSeed), low | 4095});
        }
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
      }
    }
  }
}

TEST(RangeFilter, RefusesWhatItCannotMeet) {
  const auto refused = [](std::uint64_t n, const FilterOptions& options) {
    try {
      (void)range_type().forecast(n, options);
    } catch (const Error& error) {
      return error.kind() == ErrorKind::usage;
    }
    return false;
  };
  EXPECT_TRUE(refused(std::uint64_t{1} << 40, range_options(1e-9, 1 << 20)));
  EXPECT_FALSE(refused(1'000'000'000, range_options(1e-3, 1 << 16)));
  FilterOptions bits = range_options(0.5, 32);
  bits.fpr.reset();
  for (const double few : {2.0, 7.0, 7.5, 59.0}) {
    bits.bits = few;
    EXPECT_TRUE(refused(1000, bits)) << few;
  }
  bits.bits = 8;
  EXPECT_FALSE(refused(1000, bits));
}

}  // namespace
}  // namespace crivo::filter
