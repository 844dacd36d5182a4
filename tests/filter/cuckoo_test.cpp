// SPDX-License-Identifier: Apache-2.0
// What is the cuckoo filter's own: how fingerprints are packed and chosen, that keys come and go,
// that a full table is said to be full.
#include "structures/cuckoo/cuckoo.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "file/section_types.hpp"
#include "structures/cuckoo/shape.hpp"
#include "support/errors.hpp"
#include "support/filters.hpp"
#include "support/hashes.hpp"
#include "support/sizes.hpp"

namespace crivo::filter {
namespace {

using namespace cuckoo;
using test::count_maybes;
using test::error_of;
using test::random_hashes;

const Builder& cuckoo_type() {
  return *std::ranges::find(builders(), "cuckoo", &Builder::name);
}

FilterOptions asking(double fpr, bool semi_sorted, std::uint64_t capacity = 0) {
  FilterOptions options;
  options.type = cuckoo_type().name;
  options.fpr = fpr;
  options.semi_sorted = semi_sorted;
  options.capacity = capacity;
  return options;
}

FilterOptions with_bits(double bits, bool semi_sorted) {
  FilterOptions options = asking(0.5, semi_sorted);
  options.fpr.reset();
  options.bits = bits;
  return options;
}

base::Bytes built_cuckoo(const std::vector<Hash128>& set, const FilterOptions& options) {
  return test::build_filter(cuckoo_type(), stream::SortedHashes::from_unsorted(set), options);
}

base::Bytes written_cuckoo(Editor& editor) {
  base::MemorySink sink;
  editor.write(sink);
  return sink.take();
}

/// The rate that the buckets have, by asking for every bucket and fingerprint.
double counted_fpr(base::ByteView section) {
  const Header header = Header::decode(section);
  const Shape& shape = header.shape;
  const Packing packing(shape.fingerprints);
  const std::byte* data = section.data() + kHeaderBytes;
  const auto holds = [&](std::uint64_t index, std::uint32_t fingerprint) {
    const Bucket bucket = packing.get(data, index);
    return std::ranges::find(bucket, fingerprint) != bucket.end() ||
           std::ranges::find(header.stash, Stashed{index, fingerprint}) != header.stash.end();
  };
  std::uint64_t pairs = 0;
  for (std::uint64_t i = 0; i < shape.segment_buckets; ++i) {
    for (std::uint32_t f = 1; f <= shape.fingerprints.largest(); ++f) {
      pairs += holds(i, f) || holds(shape.other(i, f), f) ? 1 : 0;
    }
  }
  return static_cast<double>(pairs) / (static_cast<double>(shape.segment_buckets) *
                                       static_cast<double>(shape.fingerprints.largest()));
}

TEST(CuckooShape, OtherIsItsOwnInverse) {
  for (const std::uint64_t buckets : {1U, 2U, 3U, 100U, 16'384U, 16'999U}) {
    Shape shape;
    shape.segment_buckets = buckets;
    for (std::uint64_t i = 0; i < buckets; i += 1 + buckets / 100) {
      for (std::uint32_t f = 1; f < 300; ++f) {
        const std::uint64_t other = shape.other(i, f);
        ASSERT_LT(other, buckets);
        ASSERT_EQ(shape.other(other, f), i);
      }
    }
  }
}

/// All multisets of four symbols have numbers of their own, without a gap.
TEST(CuckooBucket, CodesAreDense) {
  for (const auto& [symbols, codes] :
       std::map<std::uint32_t, std::size_t>{{9, 495}, {11, 1001}, {13, 1820}, {16, 3876}}) {
    std::vector<bool> seen(codes);
    for (std::uint32_t d = 0; d < symbols; ++d) {
      for (std::uint32_t c = 0; c <= d; ++c) {
        for (std::uint32_t b = 0; b <= c; ++b) {
          for (std::uint32_t a = 0; a <= b; ++a) {
            const std::uint32_t code = symbol_code({a, b, c, d});
            ASSERT_LT(code, codes);
            ASSERT_FALSE(seen[code]);
            seen[code] = true;
          }
        }
      }
    }
    EXPECT_TRUE(std::ranges::all_of(seen, [](bool one) { return one; }));
    const Fingerprints fingerprints{symbols, 1};
    EXPECT_LE(codes, std::size_t{1} << fingerprints.code_bits());
  }
}

TEST(CuckooBucket, IsReadAsItWasWritten) {
  for (const unsigned symbols : {1U, 9U, 11U, 13U, 16U}) {
    for (unsigned low = 0; low <= 32; ++low) {
      const Fingerprints fingerprints{symbols, low};
      if (!fingerprints.valid()) continue;
      const Packing packing(fingerprints);
      const std::uint64_t buckets = 50;
      base::Bytes data(base::div_ceil(buckets * packing.bucket_bits(), 8) + bits::kFieldPadding);
      std::vector<Bucket> expected(buckets);
      for (std::uint64_t i = 0; i < 4 * buckets; ++i) {
        Bucket bucket;
        for (unsigned slot = 0; slot < kSlots; ++slot) {
          const std::uint64_t random = base::mix64(1000 * i + slot + 1);
          bucket[slot] = static_cast<std::uint32_t>(
              random % 3 == 0 ? 0 : base::mulhi(random, fingerprints.largest() + 1));
        }
        packing.set(data.data(), i % buckets, bucket);
        if (symbols != 1) std::ranges::sort(bucket);
        expected[i % buckets] = bucket;
      }
      for (std::uint64_t i = 0; i < buckets; ++i) {
        ASSERT_EQ(packing.get(data.data(), i), expected[i]) << symbols << " symbols, " << low;
      }
    }
  }
}

TEST(Cuckoo, EveryWidthHoldsEveryKey) {
  for (const std::uint64_t n : {0U, 1U, 2U, 3U, 4U, 5U, 9U, 100U, 3000U}) {
    const auto set = random_hashes(n);
    for (const bool semi_sorted : {false, true}) {
      for (unsigned bits = semi_sorted ? 4 : 2; bits <= 32; ++bits) {
        const base::Bytes section = built_cuckoo(set, with_bits(bits, semi_sorted));
        const auto filter = cuckoo_type().type().open(section);
        ASSERT_EQ(count_maybes(*filter, set), n) << bits << " bits";
        ASSERT_EQ(filter->size(), n);
        ASSERT_EQ(Header::decode(section).shape.fingerprints.largest(),
                  (std::uint64_t{1} << bits) - 1);
      }
    }
  }
}

/// What every_filter_test.cpp asks, of semi-sorted buckets.
TEST(Cuckoo, SemiSortedKeepsTheRate) {
  const auto others = random_hashes(400'000, 77);
  for (const std::uint64_t n : {1U, 2U, 65U, 1000U, 11'500U, 120'000U}) {
    for (const double fpr : {0.1, 0.03, 0.01, 1.0 / 256, 1.0 / 1024, 1.0 / 65536}) {
      const auto set = random_hashes(n);
      const base::Bytes section = built_cuckoo(set, asking(fpr, true));
      const auto filter = cuckoo_type().type().open(section);
      ASSERT_EQ(count_maybes(*filter, set), n);
      EXPECT_LE(filter->fpr(), 1.1 * fpr);
      const double expected = filter->fpr() * static_cast<double>(others.size());
      const auto maybes = static_cast<double>(count_maybes(*filter, others));
      EXPECT_NEAR(maybes, expected, 3 * std::sqrt(expected) + 1) << n << " keys, rate " << fpr;
    }
  }
}

TEST(Cuckoo, SaysTheRateOfItsBuckets) {
  for (const std::uint64_t n : {1U, 2U, 5U, 100U, 2000U}) {
    for (const bool semi_sorted : {false, true}) {
      const base::Bytes section = built_cuckoo(random_hashes(n), asking(1.0 / 50, semi_sorted));
      EXPECT_DOUBLE_EQ(cuckoo_type().type().open(section)->fpr(), counted_fpr(section))
          << n << " keys";
    }
  }
}

/// The bits per key of the smallest Bloom filter of a rate: k whole, n large.
double bloom_bits(double fpr) {
  double least = 1e9;
  for (int k = 1; k < 40; ++k) least = std::min(least, -k / std::log1p(-std::pow(fpr, 1.0 / k)));
  return least;
}

double cuckoo_bits(double fpr, bool semi_sorted) {
  return cuckoo_type().forecast(10'000'000, asking(fpr, semi_sorted)).bits_per_key;
}

/// Semi-sorted, from about 3 % down; as the bits of a fingerprint come in steps, everywhere from
/// 1.8 % down. Otherwise, everywhere from 1/1200 down.
TEST(Cuckoo, IsSmallerThanBloom) {
  EXPECT_LT(cuckoo_bits(0.03, true), bloom_bits(0.03));
  unsigned better = 0;
  unsigned rates = 0;
  for (double fpr = 0.03; fpr > 0.01; fpr *= 0.99, ++rates) {
    better += cuckoo_bits(fpr, true) < bloom_bits(fpr) ? 1 : 0;
  }
  EXPECT_GE(better, rates / 2);
  for (double fpr = 0.018; fpr > 1e-8; fpr *= 0.99) {
    EXPECT_LT(cuckoo_bits(fpr, true), bloom_bits(fpr)) << fpr;
    if (fpr < 1.0 / 1200) {
      EXPECT_LT(cuckoo_bits(fpr, false), bloom_bits(fpr)) << fpr;
    }
    EXPECT_LT(cuckoo_bits(fpr, true), cuckoo_bits(fpr, false)) << fpr;
  }
}

TEST(Cuckoo, IsBuiltOfSeveralSegments) {
  const auto set = random_hashes(1'200'000);
  const base::Bytes section = built_cuckoo(set, asking(1.0 / 256, false));
  const Header header = Header::decode(section);
  EXPECT_GE(header.shape.segments(), 6U);
  EXPECT_EQ(header.shape.segment_buckets % 8, 0U);
  EXPECT_GE(static_cast<double>(header.keys), 0.94 * static_cast<double>(header.shape.slots()));
  EXPECT_EQ(count_maybes(*cuckoo_type().type().open(section), set), set.size());
}

/// The shape is that of n: what finds no room in it is stashed, which hardly ever happens.
TEST(Cuckoo, StashesHardlyAnything) {
  std::uint64_t sets = 0;
  std::uint64_t stashing = 0;
  for (std::uint64_t n = 1; n < 20'000; n += 1 + n / 10) {
    const base::Bytes empty = built_cuckoo({}, asking(1.0 / 256, false, n));
    const std::uint64_t buckets = Header::decode(empty).shape.buckets();
    for (std::uint64_t salt = 0; salt < 20 / test::kFewer; ++salt, ++sets) {
      const auto set = random_hashes(n, salt);
      const base::Bytes section = built_cuckoo(set, asking(1.0 / 256, false));
      const Header header = Header::decode(section);
      EXPECT_EQ(header.shape.buckets(), buckets);
      if (header.stash.empty()) continue;
      ++stashing;
      EXPECT_LE(header.stash.size(), 10U) << n;
      EXPECT_EQ(count_maybes(*cuckoo_type().type().open(section), set), n);
    }
  }
  EXPECT_LE(stashing, sets / 100) << "of " << sets;
}

/// Hashes of one first half: of one fingerprint and one pair of buckets.
std::vector<Hash128> twins(std::uint64_t count) {
  std::vector<Hash128> set;
  for (std::uint64_t i = 0; i < count; ++i) set.push_back({1000, i});
  return set;
}

TEST(Cuckoo, StashesWhatItsBucketsCannotHold) {
  for (const bool semi_sorted : {false, true}) {
    auto set = random_hashes(1000);
    const auto many = twins(12);
    set.insert(set.end(), many.begin(), many.end());
    const base::Bytes section = built_cuckoo(set, asking(1.0 / 256, semi_sorted, 2000));
    const Header header = Header::decode(section);
    ASSERT_EQ(header.stash.size(), 4U);
    EXPECT_DOUBLE_EQ(header.fpr(), counted_fpr(section));
    EXPECT_EQ(count_maybes(*cuckoo_type().type().open(section), set), set.size());
    EXPECT_EQ(written_cuckoo(*cuckoo_type().edit(section)), section) << "an edit of nothing";

    const auto editor = cuckoo_type().edit(section);
    for (const Hash128 hash : many) {
      EXPECT_TRUE(cuckoo_type().type().open(written_cuckoo(*editor))->contains(many[0]));
      ASSERT_TRUE(editor->remove(hash));
    }
    const base::Bytes without = written_cuckoo(*editor);
    EXPECT_TRUE(Header::decode(without).stash.empty());
    EXPECT_DOUBLE_EQ(cuckoo_type().type().open(without)->fpr(), counted_fpr(without));
    EXPECT_EQ(count_maybes(*cuckoo_type().type().open(without), random_hashes(1000)), 1000U);
    EXPECT_FALSE(editor->remove(many[0]));
  }
}

TEST(Cuckoo, StashIsChecked) {
  const base::Bytes section = built_cuckoo(twins(12), asking(1.0 / 256, false, 2000));
  const Header header = Header::decode(section);
  ASSERT_EQ(header.stash.size(), 4U);
  const std::size_t stash = section.size() - 16 - 4 * 16;
  const auto refused = [&](std::size_t at, std::uint64_t value) {
    base::Bytes damaged = section;
    base::store_le(damaged.data() + at, value);
    error_of(ErrorKind::corrupt, [&] { (void)cuckoo_type().type().open(damaged); });
  };
  refused(stash, UINT64_MAX);                  // no such bucket
  refused(stash, header.stash[0].bucket + 1);  // not ascending
  refused(stash + 8, 0);                       // no fingerprint
  refused(stash + 8, UINT32_MAX);              // too large a one
  refused(stash + 8, std::uint64_t{1} << 32);  // reserved
  refused(section.size() - 16, UINT64_MAX);    // pairs
  refused(section.size() - 8, 3);              // the size of the stash
  refused(section.size() - 8, UINT64_MAX);
}

/// Keys come and go, in a random order; what is in is answered, and the counts are kept.
TEST(CuckooEditor, AddsAndRemoves) {
  const auto set = random_hashes(6000);
  for (const bool semi_sorted : {false, true}) {
    const base::Bytes section =
        built_cuckoo({set.begin(), set.begin() + 2000}, asking(1.0 / 100, semi_sorted, 4000));
    const auto editor = cuckoo_type().edit(section);
    EXPECT_EQ(written_cuckoo(*editor), section) << "an edit of nothing";
    EXPECT_GE(editor->capacity(), 4000U);
    std::vector<bool> in(set.size());
    std::fill_n(in.begin(), 2000, true);
    std::uint64_t size = 2000;
    for (std::uint64_t step = 1; step < 20'000; ++step) {
      const std::uint64_t i = base::mulhi(base::mix64(step), set.size());
      if (in[i]) {
        ASSERT_TRUE(editor->remove(set[i]));
      } else if (size < 4000) {
        ASSERT_TRUE(editor->add(set[i]));
      } else {
        continue;
      }
      in[i] = !in[i];
      size = in[i] ? size + 1 : size - 1;
      ASSERT_EQ(editor->size(), size);
    }
    const base::Bytes changed = written_cuckoo(*editor);
    const auto filter = cuckoo_type().type().open(changed);
    ASSERT_EQ(filter->size(), size);
    EXPECT_DOUBLE_EQ(filter->fpr(), counted_fpr(changed));
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (in[i]) {
        ASSERT_TRUE(filter->contains(set[i]));
      }
    }
    const auto emptied = cuckoo_type().edit(changed);
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (in[i]) {
        ASSERT_TRUE(emptied->remove(set[i]));
      }
    }
    const base::Bytes nothing = written_cuckoo(*emptied);
    EXPECT_EQ(cuckoo_type().type().open(nothing)->fpr(), 0.0);
    EXPECT_EQ(count_maybes(*cuckoo_type().type().open(nothing), set), 0U);
    EXPECT_FALSE(cuckoo_type().edit(nothing)->remove(set[0]));
  }
}

TEST(CuckooEditor, HoldsAKeyAsOftenAsItWasAdded) {
  const auto set = random_hashes(50);
  const auto editor = cuckoo_type().edit(built_cuckoo(set, asking(0.001, false, 100)));
  const Hash128 hash = random_hashes(1, 5)[0];
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(editor->add(hash));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(editor->remove(hash));
  EXPECT_FALSE(editor->remove(hash));
  EXPECT_EQ(editor->size(), 50U);
}

/// Once full, it says so, and soon.
TEST(CuckooEditor, SaysThatItIsFull) {
  const auto set = random_hashes(20'000);
  for (const bool semi_sorted : {false, true}) {
    const auto editor = cuckoo_type().edit(built_cuckoo({}, asking(0.001, semi_sorted, 5000)));
    std::uint64_t added = 0;
    while (added < set.size() && editor->add(set[added])) ++added;
    EXPECT_GT(added, 5000U);
    EXPECT_LT(added, 5300U);
  }
  // Nine of one hash are more than its two buckets take.
  const auto editor = cuckoo_type().edit(built_cuckoo({}, asking(0.001, false, 5000)));
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(editor->add(set[0]));
  EXPECT_FALSE(editor->add(set[0]));
}

TEST(Cuckoo, SaysThatKeysDoNotFit) {
  auto set = random_hashes(100'000);
  for (Hash128& hash : set) hash.hi = 0x0123456789abcdefU;
  const std::string message =
      error_of(ErrorKind::bad_input, [&] { (void)built_cuckoo(set, asking(1.0 / 256, false)); });
  EXPECT_NE(message.find("full"), std::string::npos);
}

/// Hashes that a key hash function could hardly yield but that do fit, or are said not to.
TEST(Cuckoo, SurvivesHostileSets) {
  for (const auto& set : test::hostile_sets(3000)) {
    try {
      const base::Bytes section = built_cuckoo(set, asking(1.0 / 256, false));
      ASSERT_EQ(count_maybes(*cuckoo_type().type().open(section), set), set.size());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    }
  }
}

TEST(CuckooEditor, SurvivesAnyBytes) {
  const auto set = random_hashes(60);
  for (const bool semi_sorted : {false, true}) {
    const base::Bytes section = built_cuckoo(set, asking(1.0 / 256, semi_sorted));
    for (std::size_t at = 0; at < section.size(); ++at) {
      for (const unsigned value : {0U, 1U, 0x7fU, 0xffU}) {
        base::Bytes damaged = section;
        damaged[at] = std::byte{static_cast<unsigned char>(value)};
        try {
          const auto editor = cuckoo_type().edit(damaged);
          for (const Hash128 hash : set) (void)editor->remove(hash);
          for (const Hash128 hash : set) {
            if (!editor->add(hash)) break;
          }
          (void)written_cuckoo(*editor);
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::corrupt);
        }
      }
    }
  }
}

/// A header may lie of its keys and pairs as long as they agree: so do those that are written.
TEST(CuckooEditor, WritesWhatOpensWhateverTheHeaderSays) {
  const std::vector<Hash128> set = random_hashes(40);
  for (const bool semi_sorted : {false, true}) {
    const base::Bytes sound = built_cuckoo(set, with_bits(4, semi_sorted));
    const Header header = Header::decode(sound);
    const std::uint64_t slots = header.shape.slots();
    const auto most = header.shape.buckets() * header.shape.fingerprints.largest();
    for (const std::uint64_t keys : {std::uint64_t{1}, std::uint64_t{40}, slots - 1, slots}) {
      for (const std::uint64_t pairs : {std::uint64_t{1}, std::min(2 * keys, most)}) {
        Header lying = header;
        lying.keys = keys;
        lying.pairs = pairs;
        base::Bytes section = lying.encode();
        const auto buckets = base::ByteView(sound).subspan(kHeaderBytes, header.shape.bytes());
        section.insert(section.end(), buckets.begin(), buckets.end());
        const base::Bytes end = lying.encode_end();
        section.insert(section.end(), end.begin(), end.end());
        ASSERT_EQ(cuckoo_type().type().open(section)->size(), keys);
        const auto adding = cuckoo_type().edit(section);
        while (adding->add(set[adding->size() % set.size()])) {
          ASSERT_EQ(cuckoo_type().type().open(written_cuckoo(*adding))->size(), adding->size());
        }
        EXPECT_LE(adding->size(), slots);
        const auto removing = cuckoo_type().edit(section);
        for (const Hash128 hash : set) {
          if (!removing->remove(hash)) break;
          ASSERT_EQ(cuckoo_type().type().open(written_cuckoo(*removing))->size(), removing->size());
        }
      }
    }
  }
}

TEST(Cuckoo, RefusesWhatItCannotBe) {
  const auto plan = [](const FilterOptions& options) {
    return [options] { (void)cuckoo_type().forecast(1000, options); };
  };
  error_of(ErrorKind::usage, plan(with_bits(1, false)));
  error_of(ErrorKind::usage, plan(with_bits(3, true)));
  error_of(ErrorKind::usage, plan(with_bits(33, false)));
  error_of(ErrorKind::usage, plan(with_bits(8.5, false)));
  error_of(ErrorKind::usage, plan(asking(0.01, false, std::uint64_t{1} << 41)));
}

}  // namespace
}  // namespace crivo::filter
