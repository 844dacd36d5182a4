// SPDX-License-Identifier: Apache-2.0
// Generated keys differ, and depend on the seed alone.

#include "gen/generator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "crivo/error.hpp"
#include "hashing/hash128.hpp"
#include "stream/sorted_hashes.hpp"
#include "support/digest.hpp"

namespace crivo::gen {
namespace {

std::string block(Kind kind, std::uint64_t seed, std::uint64_t first, std::uint64_t count,
                  Form form = Form::lines) {
  std::string out;
  make_generator(kind, seed, form)->append_block(first, count, out);
  return out;
}

std::vector<std::string_view> split(std::string_view text, char delimiter = '\n') {
  std::vector<std::string_view> keys;
  while (!text.empty()) {
    const std::size_t end = text.find(delimiter);
    keys.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return keys;
}

std::vector<Hash128> ascending(std::span<const Hash128> hashes) {
  std::vector<Hash128> sorted(hashes.size());
  (void)stream::PartitionSort<Hash128>().sort({&hashes, 1}, 0, sorted);
  return sorted;
}

/// Sorted 128-bit hashes of texts: equal ones have equal hashes, and others do not.
std::vector<Hash128> hashes(const std::vector<std::string_view>& texts) {
  std::vector<Hash128> result;
  result.reserve(texts.size());
  for (const std::string_view text : texts) result.push_back(hash_key(text, 0));
  return ascending(result);
}

/// Those of `count` keys.
std::vector<Hash128> hashes(Kind kind, std::uint64_t seed, std::uint64_t first,
                            std::uint64_t count) {
  const std::string text = block(kind, seed, first, count);
  return hashes(split(text));
}

std::size_t common(const std::vector<Hash128>& a, const std::vector<Hash128>& b) {
  std::vector<Hash128> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both.size();
}

struct Lengths {
  std::size_t shortest = SIZE_MAX;
  std::size_t longest = 0;
  double mean = 0;
};

Lengths lengths(Kind kind, std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  const std::string text = block(kind, seed, first, count);
  Lengths result;
  for (const std::string_view key : split(text)) {
    result.shortest = std::min(result.shortest, key.size());
    result.longest = std::max(result.longest, key.size());
  }
  result.mean = static_cast<double>(text.size()) / static_cast<double>(count) - 1;
  return result;
}

class EveryKind : public testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, EveryKind, testing::Values(Kind::urls, Kind::words, Kind::ints),
                         [](const auto& test) {
                           return test.param == Kind::urls    ? "urls"
                                  : test.param == Kind::words ? "words"
                                                              : "ints";
                         });

TEST_P(EveryKind, AMillionKeysDiffer) {
  const std::vector<Hash128> keys = hashes(GetParam(), 0, 0, 1'000'000);
  ASSERT_EQ(keys.size(), 1'000'000U);
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

TEST_P(EveryKind, KeysDifferForOtherSeeds) {
  for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{42}, UINT64_MAX}) {
    const std::vector<Hash128> keys = hashes(GetParam(), seed, 0, 200'000);
    ASSERT_EQ(keys.size(), 200'000U);
    EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end()) << "seed " << seed;
  }
}

// Ranges before and after the points where bare domains, home pages and classes of words are spent.
TEST_P(EveryKind, RangesThatDoNotMeetShareNoKey) {
  std::vector<Hash128> all;
  const std::uint64_t last = std::uint64_t{1} << 40;
  const std::array firsts = {std::uint64_t{0},
                             std::uint64_t{3'000'000},
                             std::uint64_t{11'150'000},
                             std::uint64_t{71'900'000},
                             std::uint64_t{500'000'000},
                             std::uint64_t{10'000'000'000},
                             last - 100'000};
  for (const std::uint64_t first : firsts) {
    const std::vector<Hash128> keys = hashes(GetParam(), 3, first, 100'000);
    all.insert(all.end(), keys.begin(), keys.end());
  }
  all = ascending(all);
  ASSERT_EQ(all.size(), firsts.size() * 100'000);
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST_P(EveryKind, BytesDoNotDependOnThreads) {
  constexpr std::uint64_t kFirst = 1000;
  constexpr std::uint64_t kCount = 50'001;
  const std::string whole = block(GetParam(), 9, kFirst, kCount);
  const auto generator = make_generator(GetParam(), 9);
  for (const unsigned threads : {1U, 2U, 5U}) {
    std::string parts;
    std::uint64_t keys = 0;
    generate(*generator, kFirst, kCount, threads, [&](std::string_view bytes, std::uint64_t some) {
      parts += bytes;
      keys += some;
    });
    EXPECT_EQ(parts, whole) << threads;
    EXPECT_EQ(keys, kCount);
  }
}

TEST(Generate, AFailureToWriteEndsIt) {
  const auto generator = make_generator(Kind::ints, 0);
  EXPECT_THROW(
      generate(*generator, 0, 1'000'000, 3,
               [](std::string_view, std::uint64_t) { throw Error(ErrorKind::io, "full"); }),
      Error);
  EXPECT_THROW(generate(*generator, 10, UINT64_MAX, 1, [](std::string_view, std::uint64_t) {}),
               Error);
}

TEST_P(EveryKind, BytesDoNotDependOnHowARangeIsCut) {
  const std::string whole = block(GetParam(), 9, 1000, 5000);
  for (const std::uint64_t step : {1, 2, 63, 64, 65, 999, 4096, 4999, 5000}) {
    const auto generator = make_generator(GetParam(), 9);
    std::string parts;
    for (std::uint64_t at = 0; at < 5000; at += step) {
      generator->append_block(1000 + at, std::min(step, 5000 - at), parts);
    }
    EXPECT_EQ(parts, whole) << "step " << step;
  }
}

TEST_P(EveryKind, OneGeneratorServesSeveralThreads) {
  const auto generator = make_generator(GetParam(), 5);
  std::array<std::string, 3> parts;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 0; i < parts.size(); ++i) {
      threads.emplace_back([&, i] { generator->append_block(i * 10'000, 10'000, parts[i]); });
    }
  }
  EXPECT_EQ(parts[0] + parts[1] + parts[2], block(GetParam(), 5, 0, 30'000));
}

TEST_P(EveryKind, NoKeyOneKeyAndTheLastKey) {
  EXPECT_EQ(block(GetParam(), 0, 0, 0), "");
  EXPECT_EQ(split(block(GetParam(), 0, 0, 1)).size(), 1U);
  EXPECT_EQ(block(GetParam(), 0, 0, 2), block(GetParam(), 0, 0, 1) + block(GetParam(), 0, 1, 1));
  const std::uint64_t capacity = make_generator(GetParam(), 0)->capacity();
  EXPECT_GE(capacity, 10'000'000'000U);
  EXPECT_EQ(block(GetParam(), 0, capacity, 0), "");
  EXPECT_EQ(split(block(GetParam(), 0, capacity - 1, 1)).size(), 1U);
}

TEST_P(EveryKind, ARangeBeyondCapacityIsRefused) {
  const auto generator = make_generator(GetParam(), 0);
  const std::uint64_t capacity = generator->capacity();
  const std::array<std::pair<std::uint64_t, std::uint64_t>, 3> ranges = {
      {{capacity, 1}, {capacity - 1, 2}, {2, UINT64_MAX - 1}}};
  for (const auto& [first, count] : ranges) {
    std::string out = "as it was";
    try {
      generator->append_block(first, count, out);
      ADD_FAILURE() << first << " + " << count;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
    }
    EXPECT_EQ(out, "as it was");
  }
}

TEST_P(EveryKind, FormsDifferInTheDelimiterOnly) {
  std::string lines = block(GetParam(), 0, 0, 1000);
  const std::string nul = block(GetParam(), 0, 0, 1000, Form::nul);
  EXPECT_EQ(nul.find('\n'), std::string::npos);
  std::replace(lines.begin(), lines.end(), '\n', '\0');
  EXPECT_EQ(nul, lines);
}

// The first 10,000 keys, fixed for good: key files made on one machine are checked on another.
TEST(Generator, GoldenKeys) {
  const auto digest = [](Kind kind, std::uint64_t seed, Form form = Form::lines) {
    return test::digest_of(block(kind, seed, 0, 10'000, form));
  };
  EXPECT_EQ(digest(Kind::urls, 0), 0xa5f7a4d5ba152b14U);
  EXPECT_EQ(digest(Kind::urls, 7), 0x9b685b589d5758c4U);
  EXPECT_EQ(digest(Kind::words, 0), 0xe5f8bfd38b4d9f72U);
  EXPECT_EQ(digest(Kind::words, 7), 0x7c2d75b3212413f4U);
  EXPECT_EQ(digest(Kind::ints, 0), 0x577f5b089ea6e750U);
  EXPECT_EQ(digest(Kind::ints, 7), 0xfaf70c6ecfc1e765U);
  EXPECT_EQ(digest(Kind::ints, 0, Form::binary), 0x31b9bf86f63f893cU);
}

TEST(Generator, SeedsGiveOtherSets) {
  constexpr std::uint64_t kKeys = 300'000;
  EXPECT_EQ(common(hashes(Kind::ints, 1, 0, kKeys), hashes(Kind::ints, 2, 0, kKeys)), 0U);
  // Home pages and bare domains alone may coincide.
  EXPECT_LT(common(hashes(Kind::urls, 1, 0, kKeys), hashes(Kind::urls, 2, 0, kKeys)), kKeys / 5000);
  EXPECT_LT(common(hashes(Kind::words, 1, 0, kKeys), hashes(Kind::words, 2, 0, kKeys)), kKeys / 20);
}

TEST(Urls, LengthsAreThoseOfTheCollection) {
  for (const std::uint64_t seed : {0, 1, 2}) {
    const Lengths found = lengths(Kind::urls, seed, 0, 300'000);
    EXPECT_EQ(found.shortest, 7U);
    EXPECT_LE(found.longest, 493U);
    EXPECT_GE(found.longest, 480U);
    EXPECT_GT(found.mean, 56.0);
    EXPECT_LT(found.mean, 58.5);
  }
  const Lengths small = lengths(Kind::urls, 0, 0, 30'000);
  EXPECT_GT(small.mean, 56.0);
  EXPECT_LT(small.mean, 58.5);
  const Lengths far = lengths(Kind::urls, 0, 100'000'000, 300'000);
  EXPECT_LE(far.longest, 493U);
  EXPECT_GT(far.mean, 56.0);
  EXPECT_LT(far.mean, 58.5);
}

TEST(Urls, ManyShareAHostAndADirectory) {
  const std::string text = block(Kind::urls, 0, 0, 300'000);
  std::vector<std::string_view> hosts;
  std::vector<std::string_view> directories;
  std::size_t addresses = 0;
  std::size_t queries = 0;
  for (const std::string_view key : split(text)) {
    if (!key.starts_with("http://")) continue;
    const std::string_view host = key.substr(7, key.find('/', 7) - 7);
    hosts.push_back(host);
    addresses += host.find_first_not_of("0123456789.:") == std::string_view::npos;
    queries += key.find('?') != std::string_view::npos;
    directories.push_back(key.substr(0, key.find('?')));
    directories.back() = directories.back().substr(0, directories.back().rfind('/'));
  }
  EXPECT_GT(hosts.size(), 299'000U);
  EXPECT_GT(addresses, 1000U);
  EXPECT_GT(queries, 10'000U);
  // How many different ones there are, and of how many keys the most frequent is.
  const auto distinct_and_most = [](const std::vector<std::string_view>& texts) {
    const std::vector<Hash128> sorted = hashes(texts);
    std::size_t distinct = 0;
    std::size_t most = 0;
    for (auto at = sorted.begin(); at != sorted.end(); ++distinct) {
      const auto end = std::find_if(at, sorted.end(), [at](const Hash128& h) { return h != *at; });
      most = std::max(most, static_cast<std::size_t>(end - at));
      at = end;
    }
    return std::pair(distinct, most);
  };
  const auto [distinct_hosts, largest] = distinct_and_most(hosts);
  EXPECT_NEAR(static_cast<double>(largest), 300'000.0 / 32, 500);
  EXPECT_GT(distinct_hosts, 30'000U);
  EXPECT_LT(distinct_hosts, 100'000U);
  EXPECT_LT(distinct_and_most(directories).first, 270'000U);
}

TEST(Urls, BytesAreThoseOfRealUrls) {
  const std::string text = block(Kind::urls, 0, 0, 100'000);
  EXPECT_EQ(text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                   "/:.-_~?&=%+,\n"),
            std::string::npos);
}

TEST(Words, LengthsAreThoseOfTheVocabulary) {
  for (const std::uint64_t seed : {0, 1, 2}) {
    const Lengths found = lengths(Kind::words, seed, 0, 300'000);
    EXPECT_EQ(found.shortest, 1U);
    EXPECT_EQ(found.longest, 25U);
    EXPECT_GT(found.mean, 8.2);
    EXPECT_LT(found.mean, 8.8);
  }
  for (const std::uint64_t first : {10'000'000ULL, 100'000'000ULL, 1'000'000'000ULL, 1ULL << 39}) {
    EXPECT_LE(lengths(Kind::words, 0, first, 100'000).longest, 25U);
  }
}

TEST(Words, EveryLetterAndDigitIsAWord) {
  const std::string text = block(Kind::words, 4, 0, 64 * 36);
  std::set<std::string_view> singles;
  for (const std::string_view key : split(text)) {
    if (key.size() == 1) singles.insert(key);
  }
  EXPECT_EQ(singles.size(), 36U);
}

TEST(Words, BytesAreLowerCaseLettersAndDigits) {
  const std::string text = block(Kind::words, 0, 0, 100'000);
  EXPECT_EQ(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789\n"), std::string::npos);
}

TEST(Ints, BinaryHoldsTheSameNumbers) {
  const std::string binary = block(Kind::ints, 6, 100, 1000, Form::binary);
  const std::string text = block(Kind::ints, 6, 100, 1000);
  ASSERT_EQ(binary.size(), 8000U);
  std::size_t at = 0;
  for (const std::string_view key : split(text)) {
    EXPECT_EQ(key, std::to_string(base::load_le<std::uint64_t>(binary.data() + at)));
    at += 8;
  }
}

TEST(Ints, OtherKindsHaveNoBinaryForm) {
  for (const Kind kind : {Kind::urls, Kind::words}) {
    try {
      make_generator(kind, 0, Form::binary);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
    }
  }
}

}  // namespace
}  // namespace crivo::gen
