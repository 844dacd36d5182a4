// SPDX-License-Identifier: Apache-2.0
// Builds from keys in memory make the bytes that builds from files make.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <list>
#include <set>
#include <string>
#include <vector>

#include "crivo/build/build.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/filter.hpp"
#include "crivo/inspect.hpp"
#include "crivo/map.hpp"
#include "crivo/mphf.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"
#include "support/errors.hpp"
#include "support/read_file.hpp"
#include "support/text_filters.hpp"

namespace crivo {
namespace {

using test::error_of;
using test::Keys;
using test::numbered_keys;
using test::Workshop;
using Bytes = std::vector<std::byte>;

Bytes mphf_of(const KeyInput& input, const BuildOptions& options = Workshop::options()) {
  Bytes bytes;
  build_mphf(input, Output::to(bytes), {}, options);
  return bytes;
}

/// The keys, some at a time.
KeyInput handed_over(const Keys& keys) {
  return keys_from([&keys, next = std::size_t{0}](KeyWriter& writer) mutable {
    for (int i = 0; i < 700 && next < keys.size(); ++i) writer.key(keys[next++]);
    return next < keys.size();
  });
}

TEST(InMemory, KeysMakeTheBytesThatTheirFileMakes) {
  const Workshop shop;
  const Keys keys = numbered_keys(20'000);
  const std::set<std::string> sorted(keys.begin(), keys.end());
  const Bytes expected = mphf_of(shop.input(keys));
  EXPECT_EQ(mphf_of(keys_in(keys)), expected);
  const std::vector<std::string_view> views = test::views(keys);
  EXPECT_EQ(mphf_of(keys_in(views), Workshop::options(3)), expected);
  EXPECT_EQ(mphf_of(keys_in(sorted)), expected);
  EXPECT_EQ(mphf_of(handed_over(keys), Workshop::options(3)), expected);
}

/// Whether keys in memory are the same as before, nobody can tell.
TEST(InMemory, IsNotResumed) {
  const Workshop shop;
  const Keys keys = numbered_keys(10);
  BuildOptions options = Workshop::options();
  options.resume_dir = shop.at("go");
  for (const KeyInput& input : {keys_in(keys), handed_over(keys)}) {
    EXPECT_NE(
        error_of(ErrorKind::usage, [&] { (void)mphf_of(input, options); }).find("needs files"),
        std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(shop.at("go")));
}

TEST(InMemory, NumbersAreKeysOfTheirBytes) {
  const Workshop shop;
  std::vector<std::uint64_t> numbers;
  std::string bytes;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    numbers.push_back(i << 40 | i);
    for (unsigned b = 0; b < 8; ++b) bytes += static_cast<char>(numbers.back() >> (8 * b));
  }
  const KeyInput file =
      shop.write("numbers", bytes, {.framing = KeyFormat::Framing::fixed, .width = 8});
  EXPECT_EQ(mphf_of(keys_in(numbers)), mphf_of(file));
}

TEST(InMemory, ValuesAndRecordsComeWithTheirKeys) {
  const Workshop shop;
  const Keys keys = numbered_keys(3000);
  const Keys records(keys.rbegin(), keys.rend());
  std::vector<std::uint64_t> values;
  for (const std::string& key : keys) values.push_back(key.size() * 1000 + values.size());
  Bytes bytes;
  build_map(values_in(keys, values), Output::to(bytes), {.values = true}, Workshop::options());
  const Map map = Map::open(bytes);
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(map.lookup(keys[i]), values[i]);

  const auto numbered = [&](std::size_t most) {
    return keys_from([&, most, next = std::size_t{0}](KeyWriter& writer) mutable {
      for (std::size_t i = 0; i < most && next < keys.size(); ++i, ++next)
        writer.record(keys[next], records[next]);
      return next < keys.size();
    });
  };
  for (const KeyInput& input : {records_in(keys, records), numbered(1), numbered(4000)}) {
    build_store(input, shop.at("store"), {}, Workshop::options());
    const Store store = Store::open(shop.at("store"), {.verify = true});
    Store::Reader reader(store);
    for (std::size_t i = 0; i < keys.size(); ++i)
      EXPECT_EQ(reader.find(keys[i]).record, records[i]);
  }
}

TEST(InMemory, WhatIsHandedOverInTheWrongWayIsRefused) {
  const Workshop shop;
  const Keys keys = numbered_keys(10);
  const std::vector<std::uint64_t> values(9);
  const Keys texts(10, "no number");
  const auto store = [&](const KeyInput& input) {
    return error_of(ErrorKind::usage, [&] { build_store(input, shop.at("out")); });
  };
  EXPECT_NE(store(keys_in(keys)).find("each key needs"), std::string::npos);
  EXPECT_NE(error_of(ErrorKind::usage, [&] { mphf_of(records_in(keys, keys)); }).find("keys alone"),
            std::string::npos);
  error_of(ErrorKind::usage, [&] { (void)values_in(keys, values); });
  error_of(ErrorKind::bad_input, [&] {
    Bytes bytes;
    build_map(records_in(keys, texts), Output::to(bytes), {.values = true});
  });
  error_of(ErrorKind::usage,
           [&] { mphf_of(shop.write("lines", "a\n", {.framing = KeyFormat::Framing::counted})); });
  KeyInput lines = keys_in(keys);
  lines.format.framing = KeyFormat::Framing::lines;
  error_of(ErrorKind::usage, [&] { mphf_of(lines); });
  EXPECT_FALSE(std::filesystem::exists(shop.at("out")));
}

TEST(InMemory, FaultsAreToldByTheKeysNumber) {
  Keys keys = numbered_keys(9000);
  keys[7654] = keys[12];
  for (const KeyInput& input : {keys_in(keys), handed_over(keys)}) {
    try {
      mphf_of(input);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      EXPECT_EQ(error.place().line, 7655U);
      EXPECT_NE(std::string(error.what()).find("<keys>[7654]"), std::string::npos) << error.what();
    }
  }
  BuildOptions options = Workshop::options();
  options.ignore_duplicates = true;
  EXPECT_EQ(Mphf::open(mphf_of(handed_over(keys), options), {.mode = OpenMode::copy}).size(),
            8999U);
  keys[8000] = "";
  keys[12] = "another";
  EXPECT_NE(error_of(ErrorKind::bad_input, [&] { mphf_of(keys_in(keys)); }).find("<keys>[8000]"),
            std::string::npos);
  keys[8000] = std::string(kMaxKeyBytes + 5, 'x');
  EXPECT_NE(error_of(ErrorKind::bad_input, [&] { mphf_of(handed_over(keys)); }).find("longer"),
            std::string::npos);
}

TEST(InMemory, AFunctionTakesTheBytesOfTheFile) {
  const Workshop shop;
  const Keys keys = numbered_keys(60'000);
  build_filter(keys_in(keys), shop.at("filter"), {}, Workshop::options());
  Bytes bytes;
  build_filter(keys_in(keys), Output::to(bytes));
  EXPECT_EQ(bytes, test::read_file(shop.at("filter")));

  struct Full {};
  EXPECT_THROW(
      build_filter(keys_in(keys), Output::to([](std::span<const std::byte>) { throw Full(); })),
      Full);
  bytes.clear();
  const Keys equal = {"a", "a"};
  error_of(ErrorKind::bad_input, [&] { build_filter(keys_in(equal), Output::to(bytes)); });
  EXPECT_TRUE(bytes.empty());
  error_of(ErrorKind::usage, [&] { build_store(records_in(keys, keys), Output::to(bytes)); });
}

TEST(InMemory, BytesAreOpenedAtAnyAlignment) {
  const Keys keys = numbered_keys(5000);
  const Bytes file = mphf_of(keys_in(keys));
  const Mphf aligned = Mphf::open(file, {.mode = OpenMode::copy});
  for (std::size_t shift = 0; shift < 8; ++shift) {
    Bytes shifted(shift);
    shifted.insert(shifted.end(), file.begin(), file.end());
    const Mphf mphf = Mphf::open(std::span<const std::byte>(shifted).subspan(shift));
    for (const std::string& key : keys) ASSERT_EQ(mphf.lookup(key), aligned.lookup(key));
  }
  for (const std::string_view type : test::text_filter_types()) {
    Bytes bytes(3);
    build_filter(keys_in(keys), Output::to(bytes), {.type = std::string(type)});
    const Filter filter = Filter::open(std::span<const std::byte>(bytes).subspan(3));
    for (const std::string& key : keys) ASSERT_TRUE(filter.contains(key)) << type;
    filter.verify();
    EXPECT_EQ(filter.info().algorithm, type);
  }
  error_of(ErrorKind::usage, [&] { Map::open(file); });
}

TEST(InMemory, BatchesTakeAnyRangeOfTexts) {
  const Workshop shop;
  const Keys keys = numbered_keys(3000);
  const std::list<std::string> list(keys.begin(), keys.end());
  const Bytes file = mphf_of(keys_in(keys));
  const Mphf mphf = Mphf::open(file);
  std::vector<std::uint64_t> expected(keys.size());
  mphf.lookup(test::views(keys), expected);
  std::vector<std::uint64_t> ranks(keys.size());
  mphf.lookup(keys, ranks);
  EXPECT_EQ(ranks, expected);
  std::ranges::fill(ranks, 0);
  mphf.lookup(list, ranks);
  EXPECT_EQ(ranks, expected);
  build_store(records_in(keys, keys), shop.at("store"), {}, Workshop::options());
  const Store store = Store::open(shop.at("store"));
  Store::Reader reader(store);
  std::size_t found = 0;
  reader.find(keys, [&](std::size_t i, const Store::Answer& answer) {
    found += answer.record == keys[i] ? 1 : 0;
  });
  EXPECT_EQ(found, keys.size());
}

TEST(InMemory, ACopyOutlivesItsBytes) {
  const Keys keys = numbered_keys(100);
  Bytes bytes = mphf_of(keys_in(keys));
  const Mphf mphf = Mphf::open(bytes, {.mode = OpenMode::copy});
  std::ranges::fill(bytes, std::byte{0});
  mphf.verify();
  std::set<std::uint64_t> ranks;
  for (const std::string& key : keys) ranks.insert(mphf.lookup(key));
  EXPECT_EQ(ranks.size(), keys.size());
}

TEST(InMemory, DamageIsFoundWhereItIsAskedFor) {
  const Keys keys = numbered_keys(50'000);
  Bytes bytes = mphf_of(keys_in(keys));
  const std::size_t damaged = bytes.size() / 2;
  bytes[damaged] ^= std::byte{1};
  const Mphf mphf = Mphf::open(bytes);  // the bulk is not read
  try {
    mphf.verify();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::corrupt);
    EXPECT_EQ(error.place().section, "phast");
    ASSERT_TRUE(error.place().byte);
    EXPECT_LE(*error.place().byte, damaged);
  }
  error_of(ErrorKind::corrupt, [&] { Mphf::open(bytes, {.verify = true}); });
  error_of(ErrorKind::corrupt, [&] { Mphf::open(bytes, {.mode = OpenMode::copy}); });
}

TEST(InMemory, CancelledCallsLeaveNothing) {
  const Workshop shop;
  const Keys keys = numbered_keys(20'000);
  Progress progress;
  BuildOptions options = Workshop::options();
  options.resources.progress = &progress;
  progress.cancel();
  error_of(ErrorKind::cancelled, [&] { build_mphf(keys_in(keys), shop.at("out"), {}, options); });
  EXPECT_FALSE(std::filesystem::exists(shop.at("out")));
  // And one that would never end.
  Progress later;
  options.resources.progress = &later;
  const KeyInput endless = keys_from([&later, n = std::uint64_t{0}](KeyWriter& writer) mutable {
    for (int i = 0; i < 1000; ++i) writer.key(std::to_string(n++));
    if (n > 300'000) later.cancel();
    return true;
  });
  error_of(ErrorKind::cancelled, [&] { build_filter(endless, shop.at("out"), {}, options); });
  EXPECT_FALSE(std::filesystem::exists(shop.at("out")));
  const Mphf mphf = Mphf::open(mphf_of(keys_in(keys)), {.mode = OpenMode::copy});
  error_of(ErrorKind::cancelled, [&] { mphf.verify({.progress = &progress}); });
}

}  // namespace
}  // namespace crivo
