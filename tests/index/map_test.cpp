// SPDX-License-Identifier: Apache-2.0
// Maps, built and looked up through the public API.

#include "crivo/map.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "build/builds.hpp"
#include "crivo/build/reproduce.hpp"
#include "crivo/inspect.hpp"
#include "crivo/mphf.hpp"
#include "index/key_sets.hpp"

namespace crivo::test {
namespace {

using Values = std::vector<std::uint64_t>;

/// Every way of asking gives each key its value.
void expect_values(const Map& map, const Keys& keys, const Values& values) {
  ASSERT_EQ(map.size(), keys.size());
  std::vector<KeyHash> hashes;
  std::vector<std::span<const std::byte>> bytes;
  for (const std::string& key : keys) {
    hashes.push_back(map.hash(key));
    bytes.push_back(std::as_bytes(std::span(key)));
  }
  const auto expect_batch = [&](const auto& asked) {
    Values found(asked.size());
    const auto present = std::make_unique<bool[]>(asked.size());
    map.lookup(asked, found, std::span<bool>(present.get(), asked.size()));
    EXPECT_EQ(std::count(present.get(), present.get() + asked.size(), true),
              static_cast<std::ptrdiff_t>(asked.size()));
    EXPECT_TRUE(found == values);
  };
  expect_batch(views(keys));
  expect_batch(bytes);
  expect_batch(hashes);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(map.lookup(keys[i]), values[i]);
    EXPECT_EQ(map.lookup(bytes[i]), values[i]);
    EXPECT_EQ(map.lookup(hashes[i]), values[i]);
  }
}

/// The numbers of `n` values as texts.
Keys texts_of(const Values& values) {
  Keys texts;
  for (const std::uint64_t value : values) texts.push_back(std::to_string(value));
  return texts;
}

TEST(Map, LineNumbers) {
  const Workshop shop;
  for (const std::uint64_t n : {0U, 1U, 2U, 3U, 64U, 65U, 257U, 11'500U, 30'000U}) {
    const Keys keys = numbered_keys(n);
    Values values(n);
    for (std::uint64_t i = 0; i < n; ++i) values[i] = i;
    const BuildSummary summary =
        build_map(shop.input(keys), shop.at("out"), {}, Workshop::options());
    EXPECT_EQ(summary.keys, n);
    EXPECT_EQ(summary.kind, "map");
    EXPECT_EQ(summary.bytes, std::filesystem::file_size(shop.at("out")));
    const unsigned bits = n <= 2 ? 1 : static_cast<unsigned>(std::bit_width(n - 1));
    EXPECT_EQ(summary.value_bits, bits);
    const Map map = Map::open(shop.at("out"));
    EXPECT_EQ(map.value_bits(), bits);
    EXPECT_EQ(map.signature_bits(), 0U);
    expect_values(map, keys, values);
    EXPECT_EQ(verify_keys(shop.at("out"), shop.input(keys), {.resources = {.threads = 2}}), n);
  }
}

TEST(Map, ValuesOfAllWidths) {
  const Workshop shop;
  const Keys keys = numbered_keys(3000);
  for (const std::string_view algorithm : map_algorithms()) {
    for (const unsigned bits : {1U, 8U, 13U, 24U, 32U, 64U}) {
      Values values;
      for (std::uint64_t i = 0; i < keys.size(); ++i) {
        values.push_back(base::mix64(i + 1) >> (64 - bits));
      }
      const KeyInput input = shop.pairs(keys, texts_of(values));
      for (const unsigned signature : {0U, 8U, 32U}) {
        MapOptions options{.algorithm = std::string(algorithm), .values = true};
        options.signature_bits = signature;
        const BuildSummary summary = build_map(input, shop.at("out"), options, Workshop::options());
        EXPECT_EQ(summary.value_bits, bits);
        const FileInfo info = inspect(shop.at("out"));
        EXPECT_EQ(info.kind, "map");
        EXPECT_EQ(info.algorithm, algorithm);
        EXPECT_EQ(info.value_bits, bits);
        EXPECT_EQ(info.signature_bits, signature);
        EXPECT_EQ(info.format_version, "0.1");
        EXPECT_EQ(info.digest, summary.digest);
        EXPECT_EQ(info.find<double>("entropy"), nullptr);
        expect_values(Map::open(shop.at("out")), keys, values);
        EXPECT_EQ(verify_keys(shop.at("out"), input, {.values = true, .resources = {.threads = 2}}),
                  keys.size());
      }
    }
  }
}

TEST(Map, CompressedValues) {
  const Workshop shop;
  const Keys keys = numbered_keys(30'000);
  Values values;
  for (std::uint64_t i = 0; i < keys.size(); ++i) {
    values.push_back(i % 8 != 0 ? 7 : base::mix64(i) >> 40);
  }
  const KeyInput input = shop.pairs(keys, texts_of(values));
  const BuildSummary summary =
      build_map(input, shop.at("out"), {.values = true, .compress = true}, Workshop::options());
  EXPECT_EQ(summary.value_bits, 24U);
  const FileInfo info = inspect(shop.at("out"));
  const double* const entropy = info.find<double>("entropy");
  const double* const built = summary.find<double>("entropy");
  ASSERT_TRUE(entropy != nullptr && built != nullptr);
  EXPECT_EQ(*entropy, *built);
  EXPECT_GT(*entropy, 1);
  EXPECT_LT(*entropy, 3);
  expect_values(Map::open(shop.at("out")), keys, values);
}

TEST(Map, NumbersAsKeys) {
  const Workshop shop;
  std::string bytes;
  Values numbers;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    numbers.push_back(base::mix64(i));
    bytes.resize(bytes.size() + 8);
    base::store_le(bytes.data() + bytes.size() - 8, numbers.back());
  }
  build_map(shop.write("fixed", bytes, {.framing = KeyFormat::Framing::fixed, .width = 8}),
            shop.at("out"), {.signature_bits = 32}, Workshop::options());
  const Map map = Map::open(shop.at("out"));
  Values found(3000);
  const auto present = std::make_unique<bool[]>(3000);
  map.lookup(numbers, found, std::span<bool>(present.get(), 3000));
  for (std::uint64_t i = 0; i < 3000; ++i) {
    EXPECT_TRUE(present[i]);
    EXPECT_EQ(found[i], i);
    EXPECT_EQ(map.lookup(numbers[i]), i);
    EXPECT_FALSE(map.lookup(~numbers[i]));
  }
}

/// A batch says of each absent key what a lookup by itself says.
TEST(Map, AbsentKeys) {
  const Workshop shop;
  const Keys keys = numbered_keys(2000);
  Keys asked = numbered_keys(20'000, 5000);
  for (std::size_t i = 0; i < 500; ++i) asked[i * 7] = keys[i];
  const auto passing = [&](unsigned bits) {
    MapOptions options;
    options.signature_bits = bits;
    build_map(shop.input(keys), shop.at("out"), options, Workshop::options());
    const Map map = Map::open(shop.at("out"));
    Values values(asked.size());
    const auto present = std::make_unique<bool[]>(asked.size());
    map.lookup(views(asked), values, std::span<bool>(present.get(), asked.size()));
    std::size_t count = 0;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const Map::Answer value = map.lookup(asked[i]);
      EXPECT_EQ(value.has_value(), present[i]);
      EXPECT_EQ(value.value_or(0), values[i]);
      count += present[i] ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(passing(0), asked.size());
  const std::size_t eight = passing(8);  // 500 and 76 of 19,500 by design
  EXPECT_GT(eight, 530U);
  EXPECT_LT(eight, 650U);
  EXPECT_EQ(passing(32), 500U);
}

TEST(Map, AnEmptyOneHasNoKeys) {
  const Workshop shop;
  for (const bool compress : {false, true}) {
    build_map(shop.input({}), shop.at("out"), {.compress = compress}, Workshop::options());
    const Map map = Map::open(shop.at("out"));
    EXPECT_EQ(map.size(), 0U);
    EXPECT_FALSE(map.lookup(""));
    Values values(2, 7);
    bool present[2] = {true, true};
    map.lookup(views({"a", "b"}), values, present);
    EXPECT_EQ(values, (Values{0, 0}));
    EXPECT_FALSE(present[0] || present[1]);
  }
}

TEST(Map, Refusals) {
  const Workshop shop;
  const Keys keys = numbered_keys(300);
  const auto build = [&](const MapOptions& options) {
    build_map(shop.input(keys), shop.at("out"), options, Workshop::options());
  };
  EXPECT_NE(error_of(ErrorKind::bad_input, [&] { build({.value_bits = 8}); })
                .find(": key 257: the key's number in the input, 256 (counted from 0), does not "
                      "fit in 8 bits"),
            std::string::npos);
  build({.value_bits = 9});
  EXPECT_EQ(Map::open(shop.at("out")).value_bits(), 9U);
  error_of(ErrorKind::usage, [&] { build({.algorithm = "sieve"}); });
  error_of(ErrorKind::usage, [&] { build({.signature_bits = 7}); });
  error_of(ErrorKind::usage, [&] { (void)Mphf::open(shop.at("out")); });
  build_mphf(shop.input(keys), shop.at("mphf"), {}, Workshop::options());
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { (void)Map::open(shop.at("mphf")); }),
            shop.at("mphf").string() + ": is an MPHF, not a map");
  error_of(ErrorKind::usage, [&] {
    verify_keys(shop.at("mphf"), shop.input(keys), {.values = true, .resources = {.threads = 1}});
  });
}

TEST(Map, VerifyFindsOtherKeysAndValues) {
  const Workshop shop;
  Keys keys = numbered_keys(300);
  build_map(shop.input(keys), shop.at("out"), {}, Workshop::options());
  const auto mismatch = [&](const Keys& other) {
    return error_of(ErrorKind::mismatch, [&] {
      verify_keys(shop.at("out"), shop.input(other, "other"), {.resources = {.threads = 2}});
    });
  };
  EXPECT_NE(mismatch(numbered_keys(299)).find("built over 300 keys, and 299 distinct"),
            std::string::npos);
  std::swap(keys[5], keys[6]);
  const std::string error = mismatch(keys);
  EXPECT_NE(error.find("other:"), std::string::npos) << error;
  EXPECT_NE(error.find("does not have its line number as value"), std::string::npos) << error;
  const Keys values(300, "5");
  build_map(shop.pairs(keys, values), shop.at("out"), {.values = true}, Workshop::options());
  Keys others = values;
  others[17] = "6";
  const std::string wrong = error_of(ErrorKind::mismatch, [&] {
    verify_keys(shop.at("out"), shop.pairs(keys, others),
                {.values = true, .resources = {.threads = 2}});
  });
  EXPECT_NE(wrong.find("pairs: key 18) does not have its value"), std::string::npos) << wrong;
}

/// A key that the signatures refuse has no value, which is not the value 0.
TEST(Map, VerifyTellsNoValueFromZero) {
  const Workshop shop;
  Keys keys = numbered_keys(300);
  const MapOptions with_signatures{.signature_bits = 32};
  build_map(shop.input(keys), shop.at("lines"), with_signatures, Workshop::options());
  keys[0] = "foreign";
  const std::string line = error_of(ErrorKind::mismatch, [&] {
    verify_keys(shop.at("lines"), shop.input(keys, "other"), {.resources = {.threads = 2}});
  });
  EXPECT_NE(line.find("the key \"foreign\""), std::string::npos) << line;
  EXPECT_NE(line.find("does not have its line number as value"), std::string::npos) << line;

  const Keys zeros(300, "0");
  MapOptions of_values = with_signatures;
  of_values.values = true;
  of_values.value_bits = 1;
  build_map(shop.pairs(numbered_keys(300), zeros), shop.at("values"), of_values,
            Workshop::options());
  const std::string value = error_of(ErrorKind::mismatch, [&] {
    verify_keys(shop.at("values"), shop.pairs(keys, zeros),
                {.values = true, .resources = {.threads = 2}});
  });
  EXPECT_NE(value.find("the key \"foreign\""), std::string::npos) << value;
  EXPECT_NE(value.find("does not have its value"), std::string::npos) << value;
}

TEST(Map, Estimate) {
  const Workshop shop;
  const Keys keys = numbered_keys(25'000);
  const BuildSummary summary =
      build_map(shop.input(keys), shop.at("out"), {.signature_bits = 8}, Workshop::options());
  const BuildEstimate estimate = estimate_map(shop.input(keys), {.signature_bits = 8});
  EXPECT_EQ(estimate.keys, 25'000U);
  EXPECT_GE(estimate.output_bytes, summary.bytes * 49 / 50);
  EXPECT_LE(estimate.output_bytes, summary.bytes * 51 / 50 + 4096);  // what a file has around it
  EXPECT_GE(estimate.memory_bytes, 25'000U * 24);
  error_of(ErrorKind::usage, [&] { estimate_map(shop.input(keys), {.value_bits = 70}); });
}

TEST(Map, FromSeveralThreadsAndMoved) {
  const Workshop shop;
  const Keys keys = numbered_keys(3000);
  build_map(shop.input(keys), shop.at("out"), {.signature_bits = 16}, Workshop::options());
  build_map(shop.input({"other"}), shop.at("other"), {}, Workshop::options());
  Map from = Map::open(shop.at("out"));
  Map map = Map::open(shop.at("other"));
  map = std::move(from);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(map.lookup(keys[i]), i);
    });
  }
}

Hash128 collides_at_seed_0(std::string_view key, std::uint64_t seed) noexcept {
  return hash_key(seed == 0 && key == "twin" ? "TWIN" : key, seed);
}

TEST(Map, ACollisionTakesTheNextSeed) {
  const Workshop shop;
  Keys keys = numbered_keys(1000);
  keys.insert(keys.begin() + 400, "twin");
  keys.push_back("TWIN");
  const BuildSummary summary = index::build_map(shop.input(keys), shop.at("out"), {},
                                                Workshop::options(), collides_at_seed_0);
  EXPECT_EQ(summary.seed, 1U);
  EXPECT_EQ(Map::open(shop.at("out")).lookup("twin"), 400U);
  EXPECT_EQ(Map::open(shop.at("out")).lookup("TWIN"), 1001U);
  verify_keys(shop.at("out"), shop.input(keys));
}

}  // namespace
}  // namespace crivo::test
