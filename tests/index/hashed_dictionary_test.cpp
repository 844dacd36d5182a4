// SPDX-License-Identifier: Apache-2.0
// Hashed ids of dictionaries: those of lookup() for keys, and hardly any for other texts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "crivo/build/reproduce.hpp"
#include "crivo/dictionary.hpp"
#include "crivo/error.hpp"
#include "crivo/index.hpp"
#include "crivo/inspect.hpp"
#include "dictionary/built.hpp"
#include "index/key_sets.hpp"
#include "support/read_file.hpp"

namespace crivo::test {
namespace {

using dictionary::test::in_order;

Dictionary built(const Workshop& shop, const Keys& keys, const DictionaryOptions& options,
                 const BuildOptions& build = Workshop::options()) {
  KeyInput input = shop.input(keys);
  input.format.allow_empty = true;
  build_dictionary(input, {shop.at("dictionary")}, options, build);
  return Dictionary::open(shop.at("dictionary"));
}

/// Each text, one at a time, by its hash and in batches, has the same hashed id.
std::vector<std::uint64_t> hashed_ids(const Dictionary& dictionary, const Keys& texts) {
  std::vector<std::uint64_t> ids;
  std::vector<KeyHash> hashes;
  for (const std::string& text : texts) {
    ids.push_back(dictionary.lookup_hashed(text));
    hashes.push_back(dictionary.hash_function()(text));
    EXPECT_EQ(dictionary.lookup_hashed(hashes.back()), ids.back());
    EXPECT_EQ(dictionary.lookup_hashed(Key(text)), ids.back());
  }
  std::vector<std::uint64_t> batch(texts.size());
  dictionary.lookup_hashed(texts, batch);
  EXPECT_EQ(batch, ids);
  dictionary.lookup_hashed(hashes, batch);
  EXPECT_EQ(batch, ids);
  return ids;
}

/// All keys have their ids, and other texts an id below n or none.
void expect_answers(const Dictionary& dictionary, const Keys& keys, std::mt19937_64& random) {
  ASSERT_TRUE(dictionary.has_hashed());
  std::vector<std::uint64_t> expected(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) expected[i] = i;
  ASSERT_EQ(hashed_ids(dictionary, keys), expected);
  Keys others(300);
  for (std::string& text : others) text = dictionary::test::random_text(keys, random);
  for (const std::uint64_t id : hashed_ids(dictionary, others))
    ASSERT_TRUE(id < keys.size() || id == Dictionary::kAbsent);
}

TEST(HashedDictionary, HasTheIdOfEachKey) {
  const Workshop shop;
  std::mt19937_64 random(31);
  for (unsigned set = 0; set < 30; ++set) {
    SCOPED_TRACE(set);
    Keys keys = dictionary::test::random_keys(random);
    std::erase_if(keys, [](const std::string& key) { return key.find('\0') != key.npos; });
    const unsigned bits = set % 2 == 0 ? 8 : 16;
    ASSERT_NO_FATAL_FAILURE(expect_answers(
        built(shop, keys, {.hashed = true, .hashed_signature_bits = bits}), keys, random));
  }
  for (const std::uint64_t count : {0U, 1U, 2U, 64U, 65U, 1024U, 1025U, 20'000U}) {
    SCOPED_TRACE(count);
    const Keys keys = in_order(numbered_keys(count));
    ASSERT_NO_FATAL_FAILURE(expect_answers(built(shop, keys, {.hashed = true}), keys, random));
  }
}

TEST(HashedDictionary, TakesHashesOfItsOwnFunctionAlone) {
  const Workshop shop;
  const Keys keys = in_order(numbered_keys(500));
  BuildOptions keyed = Workshop::options();
  keyed.keyed_hash = true;
  keyed.seed = 77;
  std::mt19937_64 random(3);
  const Dictionary dictionary = built(shop, keys, {.hashed = true}, keyed);
  ASSERT_NO_FATAL_FAILURE(expect_answers(dictionary, keys, random));
  const KeyHash other = built(shop, keys, {.hashed = true}).hash_function()(keys[0]);
  error_of(ErrorKind::usage, [&] { (void)dictionary.lookup_hashed(other); });
}

/// Of texts that are no keys each has an id with probability 2^-bits: within six standard
/// deviations, which chance leaves once in 10^9.
TEST(HashedDictionary, RefusesOtherTexts) {
  const Workshop shop;
  const Keys keys = in_order(numbered_keys(3000));
  const Keys others = numbered_keys(200'000, 1'000'000);
  for (const unsigned bits : {8U, 16U}) {
    SCOPED_TRACE(bits);
    const Dictionary dictionary =
        built(shop, keys, {.hashed = true, .hashed_signature_bits = bits});
    std::vector<std::uint64_t> ids(others.size());
    dictionary.lookup_hashed(others, ids);
    const auto found = static_cast<double>(
        std::ranges::count_if(ids, [](std::uint64_t id) { return id != Dictionary::kAbsent; }));
    const double expected = std::ldexp(static_cast<double>(others.size()), -static_cast<int>(bits));
    EXPECT_NEAR(found, expected, 6 * std::sqrt(expected));
    dictionary.lookup(others, ids);
    EXPECT_EQ(std::ranges::count(ids, Dictionary::kAbsent), std::ssize(ids));
  }
}

TEST(HashedDictionary, IsTheSameHoweverItIsBuilt) {
  const Workshop shop;
  const Keys keys = in_order(numbered_keys(60'000));
  Keys shuffled = keys;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937_64(5));
  (void)built(shop, keys, {.hashed = true});
  const std::string expected = text_of(shop.at("dictionary"));
  BuildOptions narrow = Workshop::options(1);
  narrow.resources.memory = std::uint64_t{24} << 20;
  for (const BuildOptions& options : {narrow, Workshop::options(3)}) {
    (void)built(shop, shuffled, {.hashed = true}, options);
    EXPECT_TRUE(text_of(shop.at("dictionary")) == expected);
    (void)built(shop, keys, {.sorted = true, .hashed = true}, options);
    EXPECT_TRUE(text_of(shop.at("dictionary")) == expected);
  }
}

TEST(HashedDictionary, IsAskedOnlyWhereItIsBuilt) {
  const Workshop shop;
  const Keys keys = in_order(numbered_keys(100));
  const Dictionary dictionary = built(shop, keys, {});
  EXPECT_FALSE(dictionary.has_hashed());
  std::vector<std::uint64_t> ids(keys.size());
  const std::string said =
      error_of(ErrorKind::usage, [&] { (void)dictionary.lookup_hashed(keys[0]); });
  EXPECT_NE(said.find("has no hashed ids"), said.npos);
  error_of(ErrorKind::usage, [&] { dictionary.lookup_hashed(keys, ids); });
}

TEST(HashedDictionary, IsVerified) {
  const Workshop shop;
  const Keys keys = in_order(numbered_keys(1000));
  (void)built(shop, keys, {.hashed = true});
  EXPECT_EQ(verify_keys(shop.at("dictionary"), shop.input(keys)), keys.size());
  const FileInfo info = inspect(shop.at("dictionary"));
  EXPECT_NE(std::ranges::find(info.parameters, Parameter{"signature_bits", std::uint64_t{8}}),
            info.parameters.end());
}

}  // namespace
}  // namespace crivo::test
