// SPDX-License-Identifier: Apache-2.0
// What holds of every filter type: no false negative, the rate that was asked for, the same bytes
// however it is built, and no harm from any bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "crivo/error.hpp"
#include "structures/filter.hpp"
#include "support/filters.hpp"
#include "support/hashes.hpp"

namespace crivo::filter {
namespace {

using test::build_filter;
using test::count_maybes;
using test::random_hashes;

/// The rates that every type must keep.
constexpr double kRates[] = {1.0 / 10, 1.0 / 100, 1.0 / 256, 1.0 / 1024, 1.0 / 65536};

class EveryFilter : public testing::TestWithParam<std::string_view> {
 public:
  static FilterOptions options(double fpr) {
    FilterOptions options;
    options.type = GetParam();
    options.fpr = fpr;
    return options;
  }

  static const Builder& type() {
    return *std::ranges::find(builders(), GetParam(), &Builder::name);
  }

  static void expect_no_false_negative(const std::vector<Hash128>& set, double fpr) {
    const auto hashes = stream::SortedHashes::from_unsorted(set);
    const base::Bytes section = build_filter(type(), hashes, options(fpr));
    const auto filter = type().type().open(section);
    ASSERT_EQ(filter->size(), hashes.size());
    ASSERT_EQ(count_maybes(*filter, set), set.size()) << set.size() << " keys, rate " << fpr;
  }

  /// The rate measured is within `sigmas` of the one that the filter says, which is within the plan
  /// and what was asked.
  static void expect_rate(std::uint64_t n, double fpr, const std::vector<Hash128>& others,
                          double sigmas) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
    const base::Bytes section = build_filter(type(), hashes, options(fpr));
    const auto filter = type().type().open(section);
    EXPECT_LE(filter->fpr(), 1.1 * fpr);
    EXPECT_LE(type().forecast(n, options(fpr)).fpr, fpr);
    const double expected = filter->fpr() * static_cast<double>(others.size());
    const auto maybes = static_cast<double>(count_maybes(*filter, others));
    const double most = expected + sigmas * std::sqrt(expected) + 1;
    // The rate of a range filter holds for any numbers: for random ones it is lower.
    const double least = (type().type().can & kRanges) != 0 ? 0 : 2 * expected - most;
    EXPECT_TRUE(least <= maybes && maybes <= most)
        << maybes << " of " << n << " keys, rate " << fpr << ", says " << filter->fpr();
    const double bits = 8 * static_cast<double>(section.size());
    const double planned = type().forecast(n, options(fpr)).bits_per_key * static_cast<double>(n);
    EXPECT_NEAR(bits, planned, 0.02 * planned + 12'000) << n << " keys, rate " << fpr;
  }
};

TEST_P(EveryFilter, HoldsEveryKeyOfSetsUpTo300) {
  for (std::uint64_t n = 0; n <= 300; ++n) {
    for (const double fpr : kRates) expect_no_false_negative(random_hashes(n, n), fpr);
  }
}

TEST_P(EveryFilter, HoldsEveryKeyOfLargerSets) {
  for (const std::uint64_t n : {1000U, 11'500U, 4'095U, 4'096U, 4'097U, 65'536U, 65'537U}) {
    for (const double fpr : kRates) expect_no_false_negative(random_hashes(n), fpr);
  }
}

TEST_P(EveryFilter, HoldsEveryKeyOfMillions) {
  expect_no_false_negative(random_hashes(1'000'000), 1.0 / 10);
  expect_no_false_negative(random_hashes(2'200'000), 1.0 / 256);
}

TEST_P(EveryFilter, MeasuredRateIsTheDesignedOne) {
  const auto others = random_hashes(400'000, 77);
  for (const std::uint64_t n : {1U, 2U, 65U, 1000U, 11'500U, 120'000U}) {
    for (const double fpr : kRates) expect_rate(n, fpr, others, 3);
  }
}

TEST_P(EveryFilter, EmptyHoldsNothing) {
  for (const double fpr : kRates) {
    const base::Bytes section = build_filter(type(), stream::SortedHashes{}, options(fpr));
    const auto filter = type().type().open(section);
    EXPECT_EQ(filter->size(), 0U);
    EXPECT_EQ(filter->fpr(), 0.0);
    EXPECT_EQ(count_maybes(*filter, random_hashes(5000)), 0U);
    EXPECT_FALSE(filter->contains(Hash128{0, 0}));
  }
}

TEST_P(EveryFilter, BytesDoNotDependOnThreadsOrOrder) {
  auto set = random_hashes(300'000);
  const FilterOptions asked = options(1.0 / 1000);
  const auto hashes = stream::SortedHashes::from_unsorted(set);
  const base::Bytes one = build_filter(type(), hashes, asked, 1);
  std::ranges::reverse(set);
  EXPECT_EQ(one, build_filter(type(), stream::SortedHashes::from_unsorted(set), asked, 2));
  EXPECT_EQ(one, build_filter(type(), hashes, asked, 3));
}

TEST_P(EveryFilter, CanDoWhatItSays) {
  EXPECT_EQ(type().edit != nullptr, (type().type().can & (kAdds | kRemoves)) != 0);
  EXPECT_EQ(type().combine != nullptr, (type().type().can & kUnites) != 0);
}

TEST_P(EveryFilter, HoldsWhatWasAddedAndNotRemoved) {
  if (type().edit == nullptr) return;  // of the static types there is nothing to show
  FilterOptions roomy = options(0.001);
  roomy.capacity = 3000;
  const auto set = random_hashes(3000);
  const auto part = [&](std::size_t begin, std::size_t end) {
    return std::vector(set.begin() + static_cast<std::ptrdiff_t>(begin),
                       set.begin() + static_cast<std::ptrdiff_t>(end));
  };
  const auto written = [](Editor& editor) {
    base::MemorySink sink;
    editor.write(sink);
    return sink.take();
  };
  const base::Bytes built =
      build_filter(type(), stream::SortedHashes::from_unsorted(part(0, 1000)), roomy);
  EXPECT_EQ(written(*type().edit(built)), built) << "an edit that changes nothing";

  const auto editor = type().edit(built);
  EXPECT_GE(editor->capacity(), 3000U);
  if ((type().type().can & kAdds) != 0) {
    for (const Hash128 hash : part(1000, 3000)) ASSERT_TRUE(editor->add(hash));
    const base::Bytes section = written(*editor);
    const auto filter = type().type().open(section);
    EXPECT_NEAR(static_cast<double>(editor->size()), 3000, 20);  // some may seem to be in already
    EXPECT_EQ(filter->size(), editor->size());
    EXPECT_EQ(count_maybes(*filter, set), set.size());
    EXPECT_LE(filter->fpr(), 1.1 * 0.001);
  }
  if ((type().type().can & kRemoves) != 0) {
    const std::uint64_t before = editor->size();
    for (const Hash128 hash : part(500, 1000)) ASSERT_TRUE(editor->remove(hash));
    EXPECT_EQ(editor->size(), before - 500);
    const base::Bytes section = written(*editor);
    const auto filter = type().type().open(section);
    EXPECT_EQ(count_maybes(*filter, part(0, 500)), 500U);
    EXPECT_EQ(count_maybes(*filter, part(1000, 3000)), 2000U);
    EXPECT_LE(count_maybes(*filter, part(500, 1000)), 10U);
    EXPECT_LE(count_maybes(*filter, random_hashes(100'000, 5)), 160U);
  }
}

/// Opens `section` from memory of just its size, so that AddressSanitizer sees a read past either
/// end, and, if it opens, asks for `probes`.
void expect_survival(const base::Bytes& section, const std::vector<Hash128>& probes) {
  const auto copy = std::make_unique<std::byte[]>(section.size());
  std::ranges::copy(section, copy.get());
  try {
    const auto filter = EveryFilter::type().type().open(base::ByteView{copy.get(), section.size()});
    EXPECT_TRUE(filter->fpr() >= 0 && filter->fpr() <= 1);
    (void)count_maybes(*filter, probes);
    if (EveryFilter::type().edit == nullptr) return;
    const auto editor = EveryFilter::type().edit(base::ByteView{copy.get(), section.size()});
    for (std::size_t i = 0; i + 1 < probes.size(); i += 2) {
      (void)editor->remove(probes[i]);
      (void)editor->add(probes[i + 1]);
    }
    base::MemorySink sink;
    editor->write(sink);
    (void)EveryFilter::type().type().open(sink.view());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
  }
}

TEST_P(EveryFilter, AnyByteMayBeAnything) {
  const auto probes = random_hashes(100);
  for (const std::uint64_t n : {0U, 1U, 100U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
    const base::Bytes section = build_filter(type(), hashes, options(1.0 / 256));
    for (std::size_t at = 0; at < std::min<std::size_t>(section.size(), 300); ++at) {
      for (const unsigned value : {0U, 1U, 0x7fU, 0x80U, 0xffU}) {
        base::Bytes damaged = section;
        damaged[at] = std::byte{static_cast<unsigned char>(value)};
        expect_survival(damaged, probes);
      }
    }
  }
}

TEST_P(EveryFilter, AnyEndMayBeCut) {
  const auto probes = random_hashes(100);
  for (const std::uint64_t n : {0U, 1U, 100U, 25'000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
    const base::Bytes section = build_filter(type(), hashes, options(1.0 / 256));
    for (std::size_t cut = 0; cut < section.size(); cut += 1 + section.size() / 200) {
      const base::Bytes head(section.begin(), section.begin() + static_cast<std::ptrdiff_t>(cut));
      expect_survival(head, probes);
    }
    base::Bytes longer = section;
    longer.resize(longer.size() + 64);
    EXPECT_THROW((void)type().type().open(longer), Error);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, EveryFilter, testing::ValuesIn(filter_types()),
                         [](const auto& tested) {
                           std::string name(tested.param);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace crivo::filter
