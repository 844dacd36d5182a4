// SPDX-License-Identifier: Apache-2.0
// The three kinds of file, built and looked up through the public API.

#include <gtest/gtest.h>

#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "crivo/filter.hpp"
#include "crivo/inspect.hpp"
#include "crivo/mphf.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"
#include "support/stores.hpp"

namespace crivo::test {
namespace {

constexpr std::uint64_t kSizes[] = {0, 1, 2, 63, 64, 65, 257, 11'500};

template <typename Work>
void on_three_threads(Work&& work) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 3; ++t) threads.emplace_back(work);
}

/// Every way of asking gives each key one rank of its own.
void expect_bijection(const Mphf& mphf, const Keys& keys) {
  ASSERT_EQ(mphf.size(), keys.size());
  std::unordered_set<std::uint64_t> seen;
  std::vector<std::uint64_t> ranks(keys.size());
  std::vector<std::uint64_t> by_hash(keys.size());
  std::vector<KeyHash> hashes;
  mphf.lookup(views(keys), ranks);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    hashes.push_back(mphf.hash(keys[i]));
    EXPECT_EQ(mphf.lookup(keys[i]), ranks[i]);
    EXPECT_EQ(mphf.lookup(hashes[i]), ranks[i]);
    EXPECT_LT(ranks[i], keys.size());
    EXPECT_TRUE(seen.insert(ranks[i]).second);
  }
  mphf.lookup(hashes, by_hash);
  EXPECT_EQ(by_hash, ranks);
}

TEST(Mphf, Sizes) {
  const Workshop shop;
  for (const std::uint64_t n : kSizes) {
    for (const unsigned bits : {0U, 8U, 16U, 32U}) {
      const Keys keys = numbered_keys(n);
      const BuildSummary summary = build_mphf(shop.input(keys), shop.at("out"),
                                              {.signature_bits = bits}, Workshop::options());
      EXPECT_EQ(summary.keys, n);
      EXPECT_EQ(summary.bytes, std::filesystem::file_size(shop.at("out")));
      EXPECT_EQ(summary.digest, inspect(shop.at("out")).digest);
      const Mphf mphf = Mphf::open(shop.at("out"));
      EXPECT_EQ(mphf.signature_bits(), bits);
      expect_bijection(mphf, keys);
    }
  }
}

TEST(Mphf, AbsentKeys) {
  const Workshop shop;
  const Keys keys = numbered_keys(2000);
  const Keys absent = numbered_keys(20'000, 5000);
  const auto passing = [&](unsigned bits) {
    build_mphf(shop.input(keys), shop.at("out"), {.signature_bits = bits}, Workshop::options());
    const Mphf mphf = Mphf::open(shop.at("out"));
    std::vector<std::uint64_t> ranks(absent.size());
    mphf.lookup(views(absent), ranks);
    std::size_t count = 0;
    for (std::size_t i = 0; i < absent.size(); ++i) {
      EXPECT_EQ(mphf.lookup(absent[i]), ranks[i]);
      if (ranks[i] == Mphf::kAbsent) continue;
      EXPECT_LT(ranks[i], keys.size());
      ++count;
    }
    return count;
  };
  EXPECT_EQ(passing(0), absent.size());
  const std::size_t eight = passing(8);  // 78 of 20,000 by design
  EXPECT_GT(eight, 30U);
  EXPECT_LT(eight, 150U);
  EXPECT_EQ(passing(32), 0U);
}

TEST(Mphf, AnEmptyOneHasNoKeys) {
  const Workshop shop;
  build_mphf(shop.input({}), shop.at("out"));
  const Mphf mphf = Mphf::open(shop.at("out"));
  std::vector<std::uint64_t> ranks(2);
  mphf.lookup(views({"a", "b"}), ranks);
  EXPECT_EQ(ranks, (std::vector<std::uint64_t>{Mphf::kAbsent, Mphf::kAbsent}));
  EXPECT_EQ(mphf.lookup(""), Mphf::kAbsent);
}

TEST(Filter, SizesAndWidths) {
  const Workshop shop;
  for (const std::uint64_t n : kSizes) {
    for (const unsigned bits : {1U, 8U, 32U}) {
      const Keys keys = numbered_keys(n);
      build_filter(shop.input(keys), shop.at("out"), {.bits = static_cast<double>(bits)},
                   Workshop::options());
      const Filter filter = Filter::open(shop.at("out"));
      EXPECT_EQ(filter.size(), n);
      const auto answers = std::make_unique<bool[]>(n + 1);
      filter.contains(views(keys), std::span<bool>(answers.get(), n));
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_TRUE(answers[i]);
        EXPECT_TRUE(filter.contains(keys[i]));
      }
      if (n == 0) {
        EXPECT_FALSE(filter.contains("a"));
        EXPECT_EQ(filter.fpr(), 0);
      }
    }
  }
}

TEST(Filter, FalsePositivesAreAsDesigned) {
  const Workshop shop;
  const Keys absent = numbered_keys(40'000, 1 << 20);
  for (const std::uint64_t n : {3000U, 25'000U}) {
    build_filter(shop.input(numbered_keys(n)), shop.at("out"), {.bits = 6}, Workshop::options());
    const Filter filter = Filter::open(shop.at("out"));
    EXPECT_EQ(filter.fpr(), 1.0 / 64);
    std::size_t positives = 0;
    for (const std::string& key : absent) positives += filter.contains(key) ? 1 : 0;
    EXPECT_GT(positives, 475U);  // 625, and six times its standard deviation of 25
    EXPECT_LT(positives, 775U);
  }
}

/// Compares a store with std::unordered_map, key by key and in a batch.
void expect_records(const Store& store, const Keys& keys, const Keys& records, const Keys& absent) {
  std::unordered_map<std::string, std::string> expected;
  for (std::size_t i = 0; i < keys.size(); ++i) expected[keys[i]] = records[i];
  ASSERT_EQ(store.size(), expected.size());
  Keys asked = keys;
  asked.insert(asked.end(), absent.begin(), absent.end());
  Store::Reader reader(store);
  const auto check = [&](const std::string& key, const Store::Answer& answer) {
    const auto at = expected.find(key);
    if (at == expected.end()) {
      EXPECT_EQ(answer.status, Store::Status::absent);
    } else {
      ASSERT_EQ(answer.status, Store::Status::found);
      EXPECT_TRUE(answer.record == at->second);
    }
  };
  for (const std::string& key : asked) {
    check(key, reader.find(key));
    check(key, reader.find(key, store.hash(key)));
  }
  std::size_t visited = 0;
  reader.find(views(asked), [&](std::size_t i, const Store::Answer& answer) {
    EXPECT_EQ(i, visited++);
    check(asked[i], answer);
  });
  EXPECT_EQ(visited, asked.size());
}

Keys records_for(const Keys& keys) {
  Keys records;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    records.push_back("record " + std::to_string(i) + std::string(i % 200, 'r') + "\n\t\xff");
  }
  return records;
}

TEST(Store, Sizes) {
  const Workshop shop;
  for (const std::uint64_t n : kSizes) {
    const Keys keys = numbered_keys(n);
    const BuildSummary summary =
        build_store(shop.pairs(keys, records_for(keys)), shop.at("store"), {}, Workshop::options());
    EXPECT_EQ(summary.bytes, std::filesystem::file_size(shop.at("store") / "index.crv") +
                                 std::filesystem::file_size(test::data_file(shop.at("store"))));
    expect_records(Store::open(shop.at("store")), keys, records_for(keys),
                   numbered_keys(100, 1 << 20));
  }
}

TEST(Lookup, AdversarialKeys) {
  const Workshop shop;
  const Keys keys = adversarial_keys();
  const Keys absent{"", "aa\n", std::string(301, 'a'), std::string(kMaxKeyBytes - 1, 'a'), "\n"};
  BuildOptions options = Workshop::options();
  options.seed = 99;
  build_mphf(shop.input(keys), shop.at("mphf"), {.signature_bits = 32}, options);
  const Mphf mphf = Mphf::open(shop.at("mphf"));
  expect_bijection(mphf, keys);
  EXPECT_EQ(mphf.lookup(std::string(301, 'a')), Mphf::kAbsent);
  build_filter(shop.input(keys), shop.at("filter"), {.bits = 32}, options);
  const Filter filter = Filter::open(shop.at("filter"));
  for (const std::string& key : keys) EXPECT_TRUE(filter.contains(key));
  EXPECT_FALSE(filter.contains(std::string(301, 'a')));
  build_store(shop.pairs(keys, records_for(keys)), shop.at("store"), {}, options);
  expect_records(Store::open(shop.at("store")), keys, records_for(keys),
                 {"", absent[2], absent[3]});
}

/// Lines and fixed widths let a key hold NUL.
TEST(Lookup, KeysWithNul) {
  const Workshop shop;
  Keys keys;
  std::string lines;
  for (int i = 0; i < 200; ++i) {
    keys.push_back(std::string(static_cast<std::size_t>(i), '\0') + "x");
    lines += keys.back() + "\n";
  }
  build_mphf(shop.write("lines", lines, {}), shop.at("mphf"), {}, Workshop::options());
  expect_bijection(Mphf::open(shop.at("mphf")), keys);
  const std::string bytes("\0\0\0\n\n\0\n\n", 8);
  build_mphf(shop.write("fixed", bytes, {.framing = KeyFormat::Framing::fixed, .width = 2}),
             shop.at("mphf"), {}, Workshop::options());
  expect_bijection(Mphf::open(shop.at("mphf")), {bytes.substr(0, 2), bytes.substr(2, 2),
                                                 bytes.substr(4, 2), bytes.substr(6, 2)});
}

TEST(Lookup, FromSeveralThreads) {
  const Workshop shop;
  const Keys keys = numbered_keys(3000);
  const Keys records = records_for(keys);
  build_mphf(shop.input(keys), shop.at("mphf"), {.signature_bits = 16}, Workshop::options());
  build_filter(shop.input(keys), shop.at("filter"), {}, Workshop::options());
  build_store(shop.pairs(keys, records), shop.at("store"), {}, Workshop::options());
  const Mphf mphf = Mphf::open(shop.at("mphf"));
  const Filter filter = Filter::open(shop.at("filter"));
  const Store store = Store::open(shop.at("store"));
  on_three_threads([&] {
    Store::Reader reader(store);
    std::vector<bool> taken(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::uint64_t rank = mphf.lookup(keys[i]);
      ASSERT_LT(rank, keys.size());
      EXPECT_FALSE(taken[rank]);
      taken[rank] = true;
      EXPECT_TRUE(filter.contains(keys[i]));
      EXPECT_TRUE(reader.find(keys[i]).record == records[i]);
    }
  });
}

TEST(Lookup, Moving) {
  const Workshop shop;
  const Keys keys = numbered_keys(300);
  build_mphf(shop.input(keys), shop.at("mphf"), {}, Workshop::options());
  build_mphf(shop.input({"other"}), shop.at("other"), {}, Workshop::options());
  build_filter(shop.input(keys), shop.at("filter"), {}, Workshop::options());
  build_store(shop.pairs(keys, records_for(keys)), shop.at("store"), {}, Workshop::options());
  Mphf from = Mphf::open(shop.at("mphf"));
  Mphf mphf = std::move(from);
  expect_bijection(mphf, keys);
  Mphf other = Mphf::open(shop.at("other"));
  other = std::move(mphf);
  expect_bijection(other, keys);
  Filter first = Filter::open(shop.at("filter"));
  const Filter filter = std::move(first);
  EXPECT_TRUE(filter.contains(keys[7]));
  Store opened = Store::open(shop.at("store"));
  Store::Reader reader(opened);
  const Store store = std::move(opened);  // the reader goes with it
  Store::Reader moved = std::move(reader);
  EXPECT_EQ(moved.find(keys[7]).status, Store::Status::found);
  expect_records(store, keys, records_for(keys), {"none"});
}

}  // namespace
}  // namespace crivo::test
