// SPDX-License-Identifier: Apache-2.0
// Dictionaries answer as a sorted list of their keys does.
#include "structures/dictionary/reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "crivo/error.hpp"
#include "dictionary/built.hpp"

namespace crivo::dictionary {
namespace {

using test::build;
using test::in_order;
using test::Keys;

/// The id of the longest key that `text` begins with, as it is found one length after the other.
std::optional<std::uint64_t> longest_prefix(const Keys& keys, const std::string& text) {
  std::optional<std::uint64_t> found;
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const auto at = std::lower_bound(keys.begin(), keys.end(), text.substr(0, size));
    if (at != keys.end() && *at == text.substr(0, size))
      found = static_cast<std::uint64_t>(at - keys.begin());
  }
  return found;
}

void expect_answers(const Reader& reader, const Keys& keys, const std::string& text) {
  const auto at = std::lower_bound(keys.begin(), keys.end(), text);
  const auto id = static_cast<std::uint64_t>(at - keys.begin());
  const Place place = reader.find(text);
  ASSERT_EQ(place.id, id);
  ASSERT_EQ(place.found, at != keys.end() && *at == text);
  const auto past = std::find_if(at, keys.end(), [&](const std::string& key) {
    return key.compare(0, text.size(), text) != 0;
  });
  ASSERT_EQ(reader.find(text, Bound::past_prefix).id, past - keys.begin());
  std::size_t size = 0;
  const std::optional<std::uint64_t> prefix = longest_prefix(keys, text);
  ASSERT_EQ(reader.longest_prefix(text, size), prefix);
  ASSERT_EQ(size, prefix ? keys[*prefix].size() : 0);
}

/// Batches answer as one text after the other does.
void expect_batches(const Reader& reader, const Keys& keys, std::mt19937_64& random) {
  Keys texts;
  for (std::uint64_t i = random() % 40; i != 0; --i)
    texts.push_back(test::random_text(keys, random));
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  std::vector<Place> places(views.size());
  reader.find(views, places);
  for (std::size_t i = 0; i < views.size(); ++i) {
    ASSERT_EQ(places[i].id, reader.find(views[i]).id);
    ASSERT_EQ(places[i].found, reader.find(views[i]).found);
  }
}

/// Keys of many ids are those of each; as many as there is room for.
void expect_keys_of_ids(const Reader& reader, const Keys& keys, std::mt19937_64& random) {
  std::vector<std::uint64_t> ids(random() % 40);
  for (std::uint64_t& id : ids) id = random() % keys.size();
  std::vector<char> room(random() % (20 * reader.head().longest_key + 1));
  std::vector<std::uint64_t> ends(ids.size() + 1);
  const std::size_t written = reader.keys(ids, room, ends);
  for (std::size_t i = 0; i < written; ++i)
    ASSERT_EQ(std::string_view(room.data() + ends[i], ends[i + 1] - ends[i]), keys[ids[i]]);
  if (written != ids.size()) {
    ASSERT_LT(room.size() - ends[written], reader.head().longest_key);
    ids[0] = keys.size();
    ASSERT_EQ(reader.keys(ids, room, ends), 0);
  }
}

void expect_is(const Reader& reader, const Keys& keys) {
  ASSERT_EQ(reader.size(), keys.size());
  std::vector<char> room(reader.head().longest_key);
  Walk walk(reader);
  bool more = walk.seek(0);
  for (std::uint64_t id = 0; id < keys.size(); ++id) {
    ASSERT_TRUE(more);
    ASSERT_EQ(walk.id(), id);
    ASSERT_EQ(walk.key(), keys[id]);
    more = walk.next();
    const Place place = reader.find(keys[id]);
    ASSERT_TRUE(place.found);
    ASSERT_EQ(place.id, id);
    const auto size = reader.key(id, room);
    ASSERT_TRUE(size);
    ASSERT_EQ(std::string_view(room.data(), *size), keys[id]);
  }
  ASSERT_FALSE(more);
  ASSERT_FALSE(walk.is_malformed());
  ASSERT_FALSE(reader.key(keys.size(), room));
}

/// CRIVO_DICTIONARY_SETS: for a long run.
std::uint64_t sets() {
  const char* const asked = std::getenv("CRIVO_DICTIONARY_SETS");
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : 60;
}

TEST(Dictionary, AnswersAsASortedListDoes) {
  std::mt19937_64 random(1);
  const std::vector<unsigned> block_keys{16, 17, 64, 128, 256};
  const std::vector<unsigned> token_bits{0, 8, 8, 10, 12, 8};
  for (std::uint64_t set = 0; set < sets(); ++set) {
    SCOPED_TRACE(set);
    const Keys keys = test::random_keys(random);
    const test::Built built = build(keys, {block_keys[random() % 5], token_bits[random() % 6]});
    const Reader reader(built.sections());
    ASSERT_NO_FATAL_FAILURE(expect_is(reader, keys));
    for (int i = 0; i < 50; ++i)
      ASSERT_NO_FATAL_FAILURE(expect_answers(reader, keys, test::random_text(keys, random)));
    ASSERT_NO_FATAL_FAILURE(expect_batches(reader, keys, random));
    if (!keys.empty()) {
      ASSERT_NO_FATAL_FAILURE(expect_keys_of_ids(reader, keys, random));
    }
    for (int i = 0; i < 5 && !keys.empty(); ++i) {
      Walk walk(reader);
      const std::uint64_t id = random() % keys.size();
      ASSERT_TRUE(walk.seek(id));
      ASSERT_EQ(walk.key(), keys[id]);
    }
  }
}

/// Numbers of any size: of few bits in most blocks, of all in some.
std::vector<std::uint64_t> random_values(std::size_t count, std::mt19937_64& random) {
  std::vector<std::uint64_t> values(count);
  unsigned bits = 0;
  std::uint64_t least = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 64 == 0) {
      bits = static_cast<unsigned>(random() % 65);
      least = random() % 2 == 0 ? random() : random() % 1000;
    }
    values[i] = least + (bits == 0 ? 0 : random() >> (64 - bits));
  }
  return values;
}

TEST(Dictionary, HasTheNumbersBesideItsKeys) {
  std::mt19937_64 random(21);
  for (const std::size_t count : {0U, 1U, 64U, 65U, 3000U}) {
    for (const unsigned block_keys : {16U, 64U, 100U}) {
      SCOPED_TRACE(count);
      Keys keys;
      for (std::size_t i = 0; i < count; ++i) keys.push_back(std::to_string(10'000 + i));
      const std::vector<std::uint64_t> values = random_values(count, random);
      const test::Built built = build(keys, {block_keys, 8, true}, 1, nullptr, values);
      const Reader reader(built.sections());
      ASSERT_TRUE(reader.values());
      std::vector<std::uint64_t> ids(count);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(reader.values()->get(i), values[i]);
        ids[i] = random() % (count + 3);
      }
      EXPECT_FALSE(reader.values()->get(count));
      EXPECT_FALSE(reader.values()->get(UINT64_MAX));
      std::vector<std::uint64_t> found(count);
      const auto present = std::make_unique<bool[]>(count + 1);
      reader.values()->get(ids, found, {present.get(), count});
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(present[i], ids[i] < count);
        ASSERT_EQ(found[i], present[i] ? values[ids[i]] : 0);
      }
    }
  }
  const Keys few{"a", "b"};
  EXPECT_FALSE(Reader(build(few, {}).sections()).values());
}

/// `count` keys in order, by number.
Keys numbered(std::size_t count) {
  Keys keys;
  for (std::size_t i = 0; i < count; ++i) keys.push_back("key " + std::to_string(100000 + i));
  return keys;
}

TEST(Dictionary, HasBlocksOfEachSize) {
  for (const std::size_t count :
       {0U, 1U, 63U, 64U, 65U, 128U, 64U * 32, 64U * 32 + 1, 64U * 33 + 1}) {
    SCOPED_TRACE(count);
    const Keys keys = numbered(count);
    const test::Built built = build(keys, {});
    ASSERT_NO_FATAL_FAILURE(expect_is(Reader(built.sections()), keys));
  }
}

TEST(Dictionary, HasKeysOfAnyBytes) {
  const std::string nul(1, '\0');
  const Keys keys =
      in_order({"", nul, nul + nul, "a", "a" + nul, "a" + nul + "b", "a\xff", "\xff", "\xff\xff",
                "\xff\xff\xff", std::string(255, '\xff'), std::string(256, '\xff')});
  const test::Built built = build(keys, {16, 8});
  const Reader reader(built.sections());
  ASSERT_NO_FATAL_FAILURE(expect_is(reader, keys));
  for (const std::string& key : keys) {
    ASSERT_NO_FATAL_FAILURE(expect_answers(reader, keys, key + nul));
    ASSERT_NO_FATAL_FAILURE(expect_answers(reader, keys, key + "\xff"));
  }
}

/// All texts of at most so many of these bytes behind `front`.
Keys all_texts(const std::string& front, const std::string& bytes, std::size_t longest) {
  Keys texts{front};
  for (std::size_t begin = 0; texts[begin].size() < front.size() + longest; ++begin) {
    for (const char byte : bytes) texts.push_back(texts[begin] + byte);
  }
  return texts;
}

TEST(Dictionary, HasSeparatorsOfAnyBytesAndLengths) {
  // 8 bytes behind what all texts of a node begin with are compared at once.
  const Keys more = all_texts("common ", std::string("\0a\xff", 3), 6);
  Keys keys;
  for (const char* const front : {"", "7 bytes", "8 bytes ", "9 bytes: "}) {
    for (const std::string& text : more)
      if (text.size() % 2 == 0) keys.push_back(text + front);
  }
  keys = in_order(keys);
  const test::Built built = build(keys, {16, 8});
  const Reader reader(built.sections());
  ASSERT_NO_FATAL_FAILURE(expect_is(reader, keys));
  for (const std::string& text : more) ASSERT_NO_FATAL_FAILURE(expect_answers(reader, keys, text));
  for (const std::string& text : all_texts("", std::string("\0cd\xff", 4), 3))
    ASSERT_NO_FATAL_FAILURE(expect_answers(reader, keys, text));
}

TEST(Dictionary, HasLongKeys) {
  std::mt19937_64 random(7);
  Keys keys = numbered(200);
  for (const std::size_t length : {254U, 255U, 256U, 257U, 4095U, 70'000U, 1U << 20}) {
    std::string key = "key ";
    while (key.size() < length) key += static_cast<char>(random());
    keys.push_back(key.substr(0, length));
    keys.push_back(key.substr(0, length - 1) + "\xff\xff");
  }
  for (std::string& key : keys) key.resize(std::min<std::size_t>(key.size(), kMostKeyBytes));
  keys.push_back(std::string(kMostKeyBytes, 'z'));
  keys.push_back(std::string(kMostKeyBytes - 1, 'z') + "a");
  keys = in_order(keys);
  const test::Built built = build(keys, {16, 8});
  const Reader reader(built.sections());
  ASSERT_NO_FATAL_FAILURE(expect_is(reader, keys));
  for (const std::string& key : keys) {
    const Place place = reader.find(key + "!");
    EXPECT_FALSE(place.found);
  }
  EXPECT_THROW(build({std::string(kMostKeyBytes + 1, 'a')}, {}), Error);
}

TEST(Dictionary, HasSeparatorsThatShareMuch) {
  Keys keys;
  const std::string front(70'000, 'p');
  for (std::size_t i = 0; i < 1000; ++i)
    keys.push_back(front.substr(0, i % 3 * 300) + std::to_string(i));
  for (int i = 0; i < 300; ++i) keys.push_back(front + std::to_string(1000 + i));
  keys = in_order(keys);
  const test::Built built = build(keys, {16, 8});
  const Reader reader(built.sections());
  ASSERT_NO_FATAL_FAILURE(expect_is(reader, keys));
  for (const std::string& text : {front, front + "q", front + "1", front.substr(1)}) {
    const auto at = std::lower_bound(keys.begin(), keys.end(), text);
    EXPECT_EQ(reader.find(text).id, at - keys.begin());
  }
}

TEST(Dictionary, HasTheSameBytesOnAnyThreadsAndWhenItSpills) {
  std::mt19937_64 random(3);
  Keys keys;
  for (int i = 0; i < 150'000; ++i)
    keys.push_back(std::to_string(random() % 1'000'000'007) + "/path");
  keys = in_order(keys);
  const test::Built built = build(keys, {64, 8});
  Progress progress;
  base::Scratch scratch(std::filesystem::temp_directory_path(), 1 << 12, progress);
  EXPECT_EQ(build(keys, {64, 8}, 3, &scratch).parts, built.parts);
  EXPECT_GT(scratch.temp_bytes(), 0U);
}

}  // namespace
}  // namespace crivo::dictionary
