// SPDX-License-Identifier: Apache-2.0
// Keys as texts, bytes, numbers and hashes: every structure takes all of them, and hashes are
// shared by structures of one hash function and refused by others.

#include <gtest/gtest.h>

#include <array>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "crivo/filter.hpp"
#include "crivo/mphf.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"
#include "support/text_filters.hpp"

namespace crivo::test {
namespace {

constexpr std::size_t kCount = 3000;

/// The same keys in every form: first `kCount` that are in the set, then as many that are not.
struct Forms {
  Forms() : texts(2 * kCount) {
    for (std::size_t i = 0; i < 2 * kCount; ++i) {
      // No byte is 0, which would end a key of build_store's input.
      numbers.push_back(base::mix64(i) | 0x0101010101010101U);
      texts[i].resize(8);
      base::store_le(texts[i].data(), numbers[i]);
    }
    views = test::views(texts);
    for (const std::string& text : texts) bytes.push_back(std::as_bytes(std::span(text)));
  }
  Keys present() const { return {texts.begin(), texts.begin() + kCount}; }

  Keys texts;
  std::vector<std::string_view> views;
  std::vector<std::span<const std::byte>> bytes;
  std::vector<std::uint64_t> numbers;
};

/// The hashes of all forms, which are the same however they are made.
std::vector<KeyHash> hashes_of(const auto& structure, const Forms& forms) {
  std::vector<KeyHash> hashes;
  for (const std::string& text : forms.texts) hashes.push_back(structure.hash(text));
  const HashFunction function = structure.hash_function();
  const auto expect_batch = [&](const auto& keys) {
    std::vector<KeyHash> made(keys.size());
    function(keys, made);
    EXPECT_TRUE(made == hashes);
  };
  expect_batch(forms.views);
  expect_batch(forms.bytes);
  expect_batch(forms.numbers);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    EXPECT_EQ(structure.hash(forms.bytes[i]), hashes[i]);
    EXPECT_EQ(structure.hash(forms.numbers[i]), hashes[i]);
    EXPECT_EQ(structure.hash(static_cast<std::int64_t>(forms.numbers[i])), hashes[i]);
    EXPECT_EQ(function(forms.texts[i]), hashes[i]);
  }
  return hashes;
}

class KeyForms : public testing::TestWithParam<std::uint64_t> {
 protected:
  BuildOptions options() const {
    BuildOptions options = Workshop::options();
    options.seed = GetParam();
    return options;
  }
  KeyInput input() const {
    std::string all;
    for (const std::string& key : forms_.present()) all += key;
    return shop_.write("fixed", all, {.framing = KeyFormat::Framing::fixed, .width = 8});
  }

  const Workshop shop_;
  const Forms forms_;
};
INSTANTIATE_TEST_SUITE_P(Seeds, KeyForms, testing::Values(kDefaultSeed, 0xfedcba9876543210U));

TEST_P(KeyForms, OfAnMphf) {
  for (const std::string_view algorithm : mphf_algorithms()) {
    for (const unsigned bits : {0U, 32U}) {
      build_mphf(input(), shop_.at("out"),
                 {.algorithm = std::string(algorithm), .signature_bits = bits}, options());
      const Mphf mphf = Mphf::open(shop_.at("out"));
      EXPECT_EQ(mphf.seed(), GetParam());
      const std::vector<KeyHash> hashes = hashes_of(mphf, forms_);
      std::vector<std::uint64_t> expected;
      for (const std::string& key : forms_.texts) expected.push_back(mphf.lookup(key));
      const auto expect_batch = [&](const auto& keys) {
        std::vector<std::uint64_t> ranks(keys.size());
        mphf.lookup(keys, ranks);
        EXPECT_EQ(ranks, expected);
      };
      expect_batch(forms_.views);
      expect_batch(forms_.bytes);
      expect_batch(forms_.numbers);
      expect_batch(hashes);
      std::vector<bool> taken(kCount);
      for (std::size_t i = 0; i < 2 * kCount; ++i) {
        EXPECT_EQ(mphf.lookup(forms_.bytes[i]), expected[i]);
        EXPECT_EQ(mphf.lookup(forms_.numbers[i]), expected[i]);
        EXPECT_EQ(mphf.lookup(hashes[i]), expected[i]);
        if (i < kCount) {
          ASSERT_LT(expected[i], kCount);
          EXPECT_FALSE(taken[expected[i]]);
          taken[expected[i]] = true;
        } else if (bits != 0) {
          EXPECT_EQ(expected[i], Mphf::kAbsent);
        }
      }
    }
  }
}

TEST_P(KeyForms, OfAFilter) {
  for (const std::string_view type : test::text_filter_types()) {
    SCOPED_TRACE(type);
    build_filter(input(), shop_.at("out"), {.type = std::string(type), .fpr = 1.0 / 16}, options());
    const Filter filter = Filter::open(shop_.at("out"));
    EXPECT_EQ(filter.seed(), GetParam());
    std::array<bool, 2 * kCount> expected{};
    const std::vector<KeyHash> hashes = hashes_of(filter, forms_);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] = filter.contains(forms_.texts[i]);
      EXPECT_TRUE(expected[i] || i >= kCount);
      EXPECT_EQ(filter.contains(forms_.bytes[i]), expected[i]);
      EXPECT_EQ(filter.contains(forms_.numbers[i]), expected[i]);
      EXPECT_EQ(filter.contains(hashes[i]), expected[i]);
    }
    EXPECT_EQ(filter.hash_function().name(), type == "split-block-bloom" ? "xxh64" : "xxh3");
    const auto expect_batch = [&](const auto& keys) {
      std::array<bool, 2 * kCount> answers{};
      filter.contains(keys, answers);
      EXPECT_EQ(answers, expected);
    };
    expect_batch(forms_.views);
    expect_batch(forms_.bytes);
    expect_batch(forms_.numbers);
    expect_batch(hashes);
  }
}

TEST_P(KeyForms, OfAStore) {
  build_store(shop_.pairs(forms_.present(), Keys(kCount, "record")), shop_.at("out"), {},
              options());
  const Store store = Store::open(shop_.at("out"));
  EXPECT_EQ(store.seed(), GetParam());
  const std::vector<KeyHash> hashes = hashes_of(store, forms_);
  Store::Reader reader(store);
  const auto expect_answer = [](std::size_t i, const Store::Answer& answer) {
    ASSERT_EQ(answer.status, i < kCount ? Store::Status::found : Store::Status::absent);
    if (i < kCount) {
      EXPECT_EQ(answer.record, "record");
    }
  };
  const auto expect_form = [&](const auto& keys) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      expect_answer(i, reader.find(keys[i]));
      expect_answer(i, reader.find(keys[i], hashes[i]));
    }
    std::size_t visited = 0;
    const auto visit = [&](std::size_t i, const Store::Answer& answer) {
      EXPECT_EQ(i, visited++);
      expect_answer(i, answer);
    };
    reader.find(keys, visit);
    EXPECT_EQ(visited, keys.size());
    visited = 0;
    reader.find(keys, hashes, visit);
    EXPECT_EQ(visited, keys.size());
  };
  expect_form(forms_.views);
  expect_form(forms_.bytes);
  expect_form(forms_.numbers);
}

/// One hash asks a filter, an MPHF and a store in a row.
TEST_P(KeyForms, AHashServesStructuresOfItsFunction) {
  build_filter(input(), shop_.at("filter"), {.bits = 16}, options());
  build_mphf(input(), shop_.at("mphf"), {}, options());
  build_store(shop_.pairs(forms_.present(), forms_.present()), shop_.at("store"), {}, options());
  const Filter filter = Filter::open(shop_.at("filter"));
  const Mphf mphf = Mphf::open(shop_.at("mphf"));
  const Store store = Store::open(shop_.at("store"));
  ASSERT_EQ(filter.hash_function(), mphf.hash_function());
  ASSERT_EQ(filter.hash_function(), store.hash_function());
  Store::Reader reader(store);
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::uint64_t key = forms_.numbers[i];
    const KeyHash hash = filter.hash(key);
    EXPECT_TRUE(filter.contains(hash));
    EXPECT_EQ(mphf.lookup(hash), mphf.lookup(key));
    EXPECT_EQ(reader.find(key, hash).record, forms_.texts[i]);
  }
}

}  // namespace
}  // namespace crivo::test
