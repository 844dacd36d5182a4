// SPDX-License-Identifier: Apache-2.0
// The hash tables of the documents hold their keys, and probe as theory says.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/arithmetic.hpp"
#include "crivo/error.hpp"
#include "experiments/dictionaries/chained.hpp"
#include "experiments/dictionaries/cuckoo_table.hpp"
#include "experiments/dictionaries/hash_compaction.hpp"
#include "experiments/dictionaries/linear_probing.hpp"
#include "experiments/key_sets.hpp"
#include "gen/generator.hpp"
#include "lookup/key_hash.hpp"
#include "support/errors.hpp"

namespace crivo::experiments {
namespace {

constexpr std::array kHashes{hashing::KeyHashId::universal, hashing::KeyHashId::zobrist,
                             hashing::KeyHashId::jenkins, hashing::KeyHashId::xxh3};
constexpr std::array kRanges{classic::Range::modulo, classic::Range::mask_xor,
                             classic::Range::unbiased};
constexpr std::array<std::uint64_t, 12> kEdgeSizes{0,   1,   2,   63,   64,   65,
                                                   255, 256, 257, 1023, 1025, 11'500};

hashing::SeededHash seeded(hashing::KeyHashId hash, std::uint64_t seed = 7) {
  return {hashing::hash_family(hash), seed};
}

KeySet set_of(const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) text += key + '\0';
  return KeySet::of(std::move(text));
}

KeySet words(std::uint64_t first, std::uint64_t count, gen::Kind kind = gen::Kind::words) {
  std::string text;
  gen::make_generator(kind, 1, gen::Form::nul)->append_block(first, count, text);
  return KeySet::of(std::move(text));
}

/// Keys that are hard to tell apart, or not to be expected.
std::vector<std::string> adversarial_keys() {
  std::vector<std::string> keys{"", std::string(4096, 'x'), std::string(4095, 'x'), "\xff\xfe\x01"};
  for (std::size_t size = 1; size <= 300; ++size) keys.emplace_back(size, 'a');
  for (char last = 1; last < 127; ++last) keys.push_back(std::string(40, 'b') + last);
  for (char first = 1; first < 127; ++first) keys.push_back(first + std::string(40, 'b'));
  for (int i = 0; i < 500; ++i) keys.push_back(std::to_string(i * 1'000'003) + "/index.html");
  return keys;
}

std::vector<std::string_view> keys_of(const KeySet& set) {
  std::vector<std::string_view> keys;
  for (std::uint64_t i = 0; i < set.size(); ++i) keys.push_back(set[i]);
  return keys;
}

/// Every key of the set is found, and of all others just what the standard's set holds.
template <typename Dictionary>
void expect_same_as_standard(const Dictionary& dictionary, const KeySet& set,
                             const std::vector<std::string_view>& others) {
  const std::vector<std::string_view> keys = keys_of(set);
  const std::unordered_set<std::string_view> standard(keys.begin(), keys.end());
  std::uint64_t lost = 0;
  for (const std::string_view key : keys) lost += dictionary.contains(key) ? 0 : 1;
  EXPECT_EQ(lost, 0U);
  std::uint64_t different = 0;
  for (const std::string_view key : others) {
    different += dictionary.contains(key) != standard.contains(key) ? 1 : 0;
  }
  EXPECT_EQ(different, 0U);
}

/// One of each exact dictionary, over the keys and at a load that is hard for it.
template <typename Test>
void for_each_exact(const KeySet& set, const Hashing& hashing, Test&& test) {
  for (const double load : {0.1, 0.5, 0.9}) test(LinearProbing(set, load, hashing));
  for (const double load : {0.5, 1.0, 5.0}) test(ChainedTable(set, load, hashing));
  for (const unsigned entries : {1U, 2U, 4U, 8U}) {
    for (const double load : {0.3, 0.95, 1.0}) {
      test(CuckooTable(set, hashing, {.bucket_entries = entries, .load = load}));
    }
  }
}

TEST(KeySet, TellsItsKeys) {
  using namespace std::string_view_literals;
  const auto keys = [](std::string_view text) {
    std::vector<std::string> copies;
    const KeySet set = KeySet::of(std::string(text));
    for (std::uint64_t i = 0; i < set.size(); ++i) {
      EXPECT_EQ(set.at(set.start(i)), set[i]);
      copies.emplace_back(set[i]);
    }
    return copies;
  };
  EXPECT_EQ(keys(""), std::vector<std::string>{});
  EXPECT_EQ(keys("\0"sv), std::vector<std::string>{""});
  EXPECT_EQ(keys("ab\0\0c\0"sv), (std::vector<std::string>{"ab", "", "c"}));
  EXPECT_NE(test::error_of(ErrorKind::usage, [] { KeySet::of("ab"); }).find("no zero byte"),
            std::string::npos);
}

TEST(Dictionaries, HoldEveryEdgeSize) {
  for (const std::uint64_t n : kEdgeSizes) {
    const KeySet set = words(0, n);
    const KeySet absent = words(n, n + 100);
    for (const hashing::KeyHashId hash : kHashes) {
      SCOPED_TRACE(std::to_string(n) + " keys, " + std::string(hashing::key_hash_name(hash)));
      const hashing::SeededHash function = seeded(hash);
      for_each_exact(set, {function, classic::Range::unbiased}, [&](const auto& dictionary) {
        expect_same_as_standard(dictionary, set, keys_of(absent));
      });
    }
  }
}

TEST(Dictionaries, HoldAdversarialKeys) {
  const KeySet set = set_of(adversarial_keys());
  std::vector<std::string> others;
  for (std::string key : adversarial_keys()) {
    others.push_back(key + "a");
    others.push_back(key + '\0');  // as far as the key's own bytes go it is in the text
    others.push_back(key + '\0' + "a");
    if (!key.empty()) key.pop_back();
    others.push_back(key);
  }
  const std::vector<std::string_view> asked(others.begin(), others.end());
  for (const hashing::KeyHashId hash : kHashes) {
    const hashing::SeededHash function = seeded(hash);
    for (const classic::Range range : kRanges) {
      SCOPED_TRACE(std::string(hashing::key_hash_name(hash)) + ", range " +
                   std::to_string(static_cast<int>(range)));
      for_each_exact(set, {function, range}, [&](const auto& dictionary) {
        expect_same_as_standard(dictionary, set, asked);
      });
    }
  }
}

TEST(Dictionaries, HoldKeysThatAllHaveOneHash) {
  const hashing::SeededHash constant(
      hashing::PlainHash([](std::string_view, std::uint64_t) noexcept {
        return Hash128{5, 9};
      }),
      0);
  const KeySet set = words(0, 300);
  const KeySet absent = words(300, 10);
  const Hashing hashing{constant, classic::Range::modulo};
  const LinearProbing probing(set, 0.99, hashing);
  expect_same_as_standard(probing, set, keys_of(absent));
  EXPECT_EQ(probing.collisions(), 300U * 299 / 2);
  EXPECT_EQ(probing.find("not there").collisions, 300U);
  const ChainedTable chained(set, 1.0, hashing);
  expect_same_as_standard(chained, set, keys_of(absent));
  EXPECT_EQ(chained.find("not there").collisions, 300U);
  EXPECT_NE(test::error_of(ErrorKind::bad_input, [&] { CuckooTable table(set, hashing, {}); })
                .find("same hashes"),
            std::string::npos);
  // Two buckets of four hold eight keys, and nothing nine.
  const KeySet eight = words(0, 8);
  const CuckooTable full(eight, hashing, {.load = 0.01});
  expect_same_as_standard(full, eight, keys_of(absent));
  EXPECT_EQ(full.rehashes(), 0U);
  const KeySet nine = words(0, 9);
  test::error_of(ErrorKind::bad_input, [&] { CuckooTable table(nine, hashing, {.load = 0.01}); });
}

TEST(Dictionaries, HoldRepeatedKeysOnceOrMore) {
  const std::string once = words(0, 500).text();
  const KeySet set = KeySet::of(once + once + once + words(0, 3).text());
  const hashing::SeededHash function = seeded(hashing::KeyHashId::xxh3);
  const Hashing hashing{function, classic::Range::unbiased};
  const KeySet absent = words(500, 500);
  for_each_exact(set, hashing, [&](const auto& dictionary) {
    expect_same_as_standard(dictionary, set, keys_of(absent));
  });
  EXPECT_EQ(CuckooTable(set, hashing, {}).size(), 500U);
}

TEST(Dictionaries, RefuseLoadsOutOfTheirRange) {
  const KeySet set = words(0, 10);
  const hashing::SeededHash function = seeded(hashing::KeyHashId::jenkins);
  const Hashing hashing{function, classic::Range::mask_xor};
  for (const double load : {0.0, -1.0, 1e-12, std::nan("")}) {
    const auto refused = [](auto&& make) {
      return !test::error_of(ErrorKind::usage, make).empty();
    };
    EXPECT_TRUE(refused([&] { LinearProbing table(set, load, hashing); })) << load;
    EXPECT_TRUE(refused([&] { ChainedTable table(set, load, hashing); })) << load;
    EXPECT_TRUE(refused([&] { HashCompaction table(set, load, hashing, 8); })) << load;
    EXPECT_TRUE(refused([&] { CuckooTable table(set, hashing, {.load = load}); })) << load;
  }
  EXPECT_FALSE(
      test::error_of(ErrorKind::usage, [&] { LinearProbing table(set, 1.0, hashing); }).empty());
  EXPECT_FALSE(test::error_of(ErrorKind::usage, [&] {
                 CuckooTable table(set, hashing, {.load = 1.1});
               }).empty());
  for (const unsigned bits : {0U, 65U}) {
    EXPECT_FALSE(test::error_of(ErrorKind::usage, [&] {
                   HashCompaction table(set, 1.0, hashing, bits);
                 }).empty());
  }
}

/// What probing entry by entry makes of the same keys: the starts of keys by entry.
std::vector<std::uint32_t> probed(const KeySet& set, const Hashing& hashing, std::uint32_t m,
                                  std::uint64_t& collisions) {
  std::vector<std::uint32_t> table(m, kNoKey);
  const classic::Reduction reduce(hashing.range, m);
  for (std::uint64_t i = 0; i < set.size(); ++i) {
    std::uint32_t at = reduce(static_cast<std::uint32_t>(hashing.hash(set[i]).hi >> 32));
    for (; table[at] != kNoKey; at = (at + 1) % m) ++collisions;
    table[at] = set.start(i);
  }
  return table;
}

TEST(LinearProbing, IsTheDissertationsExample) {
  // Its section 3.2 and Figure 3.2: letters by their numbers, and h(O) = 3 as it is printed there.
  const hashing::SeededHash letters(
      hashing::PlainHash([](std::string_view key, std::uint64_t) noexcept {
        const char letter = key == "O" ? 'C' : key.empty() ? '@' : key[0];
        return Hash128{static_cast<std::uint64_t>(letter - '@') << 32, 0};
      }),
      0);
  const KeySet set = set_of({"F", "A", "B", "I", "N", "O"});
  const LinearProbing table(set, 6.0 / 7, {letters, classic::Range::modulo});
  EXPECT_EQ(table.slots(), 7U);
  EXPECT_EQ(table.collisions(), 2U);
  for (const char* key : {"F", "A", "B", "N"}) EXPECT_EQ(table.find(key).collisions, 0U) << key;
  for (const char* key : {"I", "O"}) EXPECT_EQ(table.find(key).collisions, 1U) << key;
  EXPECT_FALSE(table.find("E").found);
  EXPECT_EQ(table.find("E").collisions, 0U);  // 5 is the free entry
  EXPECT_EQ(table.find("M").collisions, 6U);  // 6, and round the end 0 to 4
}

TEST(LinearProbing, IsTheTableThatProbingMakes) {
  for (const std::uint64_t n : {1U, 5U, 100U, 1000U, 3000U}) {
    const KeySet set = words(0, n, gen::Kind::urls);
    const KeySet absent = words(n, 200, gen::Kind::urls);
    for (const hashing::KeyHashId hash : kHashes) {
      const hashing::SeededHash function = seeded(hash);
      for (const classic::Range range : kRanges) {
        for (const double load : {0.25, 0.7, 0.95, 0.9999}) {
          const Hashing hashing{function, range};
          const LinearProbing table(set, load, hashing);
          ASSERT_EQ(table.slots(),
                    std::max<std::uint64_t>(n + 1, static_cast<std::uint64_t>(
                                                       std::ceil(static_cast<double>(n) / load))));
          EXPECT_EQ(table.bytes(), 4 * std::uint64_t{table.slots()});
          std::uint64_t collisions = 0;
          probed(set, hashing, table.slots(), collisions);
          ASSERT_EQ(table.collisions(), collisions);
          std::uint64_t searched = 0;
          for (const std::string_view key : keys_of(set)) {
            const Sought sought = table.find(key);
            ASSERT_TRUE(sought.found);
            searched += sought.collisions;
          }
          // A key stands as far from its address as its insertion met keys.
          EXPECT_EQ(searched, collisions);
          for (const std::string_view key : keys_of(absent)) {
            ASSERT_FALSE(table.find(key).found);
          }
        }
      }
    }
  }
}

TEST(LinearProbing, HasTheCollisionsThatTheoryExpects) {
  const std::uint64_t n = 200'000;
  const KeySet set = words(0, n);
  const KeySet absent = words(n, n);
  const hashing::SeededHash function = seeded(hashing::KeyHashId::universal);
  for (const double load : {0.7, 0.5, 0.25}) {
    const LinearProbing table(set, load, {function, classic::Range::modulo});
    // Section 3.2 of the dissertation: (1 + 1 / (1 - load)) / 2 comparisons, of which one finds it.
    const double expected = (1 / (1 - load) - 1) / 2;
    EXPECT_NEAR(static_cast<double>(table.collisions()) / n, expected, 0.03 * expected) << load;
    std::uint64_t collisions = 0;
    for (const std::string_view key : keys_of(absent)) {
      collisions += table.find(key).collisions;
    }
    const double unsuccessful = (1 / ((1 - load) * (1 - load)) - 1) / 2;
    EXPECT_NEAR(static_cast<double>(collisions) / n, unsuccessful, 0.05 * unsuccessful) << load;
  }
}

TEST(LinearProbing, ExplodesUnderTheRangeOfJenkins) {
  // 2^17 values for 93,623 addresses at load 0.7: those that get two values have a load of 1.
  const std::uint64_t n = 65'536;
  const KeySet set = words(0, n);
  const hashing::SeededHash function = seeded(hashing::KeyHashId::jenkins);
  const auto collisions = [&](classic::Range range) {
    return static_cast<double>(LinearProbing(set, 0.7, {function, range}).collisions()) /
           static_cast<double>(n);
  };
  EXPECT_GT(collisions(classic::Range::mask_xor), 4.0);
  EXPECT_NEAR(collisions(classic::Range::unbiased), 1.17, 0.1);
}

TEST(ChainedTable, HasTheCollisionsThatTheoryExpects) {
  const std::uint64_t n = 100'000;
  const KeySet set = words(0, n);
  const hashing::SeededHash function = seeded(hashing::KeyHashId::zobrist);
  const ChainedTable table(set, 2.0, {function, classic::Range::modulo});
  EXPECT_EQ(table.bytes(), 4 * (n / 2 + 2 * n));
  std::uint64_t collisions = 0;
  for (const std::string_view key : keys_of(set)) {
    collisions += table.find(key).collisions;
  }
  EXPECT_NEAR(static_cast<double>(collisions) / n, 1.0, 0.03);  // half of the others in the list
}

TEST(HashCompaction, ErrsAsOftenAsItsWidthSays) {
  const std::uint64_t n = 20'000;
  const KeySet set = words(0, n);
  const KeySet absent = words(n, 100'000);
  for (const hashing::KeyHashId hash : kHashes) {
    const hashing::SeededHash function = seeded(hash);
    for (const unsigned bits : {15U, 20U, 33U, 64U}) {
      const HashCompaction table(set, 1.0, {function, classic::Range::unbiased}, bits);
      EXPECT_NEAR(static_cast<double>(table.bytes()), n * (8 + bits / 8.0), 17);
      for (const std::string_view key : keys_of(set)) ASSERT_TRUE(table.contains(key));
      double maybes = 0;
      for (const std::string_view key : keys_of(absent)) {
        maybes += table.contains(key) ? 1 : 0;
      }
      const double expected = 100'000 * (1 - std::exp(-std::ldexp(n, -static_cast<int>(bits))));
      EXPECT_NEAR(maybes, expected, 8 * std::sqrt(expected) + 3)
          << hashing::key_hash_name(hash) << ", " << bits << " bits";
    }
  }
}

TEST(HashCompaction, HoldsEveryEdgeSizeAndWidth) {
  const hashing::SeededHash function = seeded(hashing::KeyHashId::xxh3);
  for (const std::uint64_t n : kEdgeSizes) {
    const KeySet set = words(0, n);
    for (unsigned bits = 1; bits <= 64; bits += n > 300 ? 21 : 1) {
      // A few bits have few representations, and long lists.
      const HashCompaction table(set, 0.5, {function, classic::Range::modulo}, bits);
      std::uint64_t lost = 0;
      for (const std::string_view key : keys_of(set)) {
        lost += table.contains(key) ? 0 : 1;
        if (bits < 12 && n > 300) break;
      }
      ASSERT_EQ(lost, 0U) << n << " keys, " << bits << " bits";
    }
  }
}

TEST(CuckooTable, IsFilledAsFarAsItsBucketsAllow) {
  const KeySet set = words(0, 50'000);
  const hashing::SeededHash function = seeded(hashing::KeyHashId::xxh3);
  const Hashing hashing{function, classic::Range::unbiased};
  struct Case {
    unsigned entries;
    double load;
    bool fits;
  };
  for (const Case& c : {Case{1, 0.45, true}, Case{1, 0.55, false}, Case{2, 0.86, true},
                        Case{2, 0.95, false}, Case{4, 0.95, true}, Case{4, 0.999, false}}) {
    const CuckooTable table(set, hashing, {.bucket_entries = c.entries, .load = c.load});
    EXPECT_EQ(table.rehashes() == 0, c.fits) << c.entries << ", " << c.load;
    EXPECT_EQ(table.size(), 50'000U);
    if (c.fits) {
      EXPECT_NEAR(table.load(), c.load, 0.001);
      EXPECT_EQ(
          table.bytes(),
          4 * c.entries * static_cast<std::uint64_t>(std::ceil(50'000 / (c.load * c.entries))));
    }
    expect_same_as_standard(table, set, {});
  }
}

TEST(CuckooTable, FollowsTheStandardThroughInsertionsAndRemovals) {
  const KeySet set = words(0, 3000);
  std::vector<std::uint32_t> starts;
  for (std::uint64_t i = 0; i < set.size(); ++i) starts.push_back(set.start(i));
  for (const unsigned entries : {1U, 2U, 4U}) {
    const hashing::SeededHash function = seeded(hashing::KeyHashId::jenkins, entries);
    CuckooTable table(set, {function, classic::Range::unbiased},
                      {.bucket_entries = entries, .load = 0.9});
    std::unordered_map<std::string_view, std::uint32_t> standard;
    for (const std::uint32_t start : starts) standard[set.at(start)] = start;
    for (std::uint64_t step = 0; step < 60'000; ++step) {
      const std::uint64_t draw = base::mix64(step * 4 + entries + 1);
      const std::uint32_t start = starts[draw % starts.size()];
      const std::string_view key = set.at(start);
      ASSERT_EQ(table.contains(key), standard.contains(key));
      // Phases of more removals than insertions, and the other way round.
      if ((draw >> 40) % 8 < (step / 10'000 % 2 == 0 ? 6U : 2U)) {
        ASSERT_EQ(table.remove(key), standard.erase(key) == 1);
      } else {
        ASSERT_EQ(table.insert(start), standard.emplace(key, start).second);
      }
      ASSERT_EQ(table.size(), standard.size());
    }
    for (const std::uint32_t start : starts) {
      const std::string_view key = set.at(start);
      ASSERT_EQ(table.contains(key), standard.contains(key));
    }
  }
}

}  // namespace
}  // namespace crivo::experiments
