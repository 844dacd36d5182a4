// SPDX-License-Identifier: Apache-2.0
// Damaged sections are refused, or answer without reading outside them.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "crivo/error.hpp"
#include "dictionary/built.hpp"
#include "structures/dictionary/fuzzy.hpp"
#include "structures/dictionary/reader.hpp"

namespace crivo::dictionary {
namespace {

using test::Built;
using test::Keys;
using test::Part;

/// Opens and, if that succeeds, asks all there is to ask: under the sanitizers, no read may leave
/// the sections, each of which stands in an allocation of its own.
void ask(const Built& built, const Keys& texts) {
  try {
    const Reader reader(built.sections());
    std::vector<char> room(reader.head().longest_key);
    for (const std::string& text : texts) {
      EXPECT_LE(reader.find(text).id, reader.size());
      const std::uint64_t id = reader.find(text, Bound::past_prefix).id;
      EXPECT_LE(id, reader.size());
      EXPECT_LE(reader.key(id, room).value_or(0), room.size());
      std::size_t size = 0;
      EXPECT_LE(reader.longest_prefix(text, size).value_or(0), reader.size());
      const unsigned edits = static_cast<unsigned>(text.size() % (kMostEdits + 1));
      for_each_near(reader, text, edits,
                    [&](std::uint64_t near, unsigned) { EXPECT_LT(near, reader.size()); });
    }
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    std::vector<Place> places(views.size());
    reader.find(views, places);
    for (std::size_t i = 0; i < views.size(); ++i)
      EXPECT_EQ(places[i].id, reader.find(views[i]).id);
    const std::vector<std::uint64_t> ids{0, reader.size() / 2, reader.size() - 1, reader.size()};
    std::vector<std::uint64_t> ends(ids.size() + 1);
    std::vector<char> rooms(4 * room.size());
    EXPECT_LT(reader.keys(ids, rooms, ends), ids.size());
    std::vector<std::uint64_t> values(ids.size());
    std::array<bool, 4> present{};
    if (reader.values()) {
      reader.values()->get(ids, values, present);
      EXPECT_FALSE(present[3]);
    }
    Walk walk(reader);
    std::size_t left = 2000;
    for (bool more = walk.seek(0); more && left != 0; more = walk.next()) --left;
    if (reader.size() != 0) walk.seek(reader.size() - 1);
    EXPECT_LE(walk.key().size(), room.size());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
  }
}

struct Case {
  Keys keys;
  Built built;
};

/// With narrow and wide blocks and nodes, and several levels of these.
std::vector<Case> cases() {
  std::mt19937_64 random(11);
  std::vector<Case> all;
  for (const unsigned bits : {8U, 10U, 12U}) {
    Keys keys;
    for (int i = 0; i < 900; ++i) keys.push_back("k" + std::to_string(random() % 10'000));
    for (int i = 0; i < 40; ++i) keys.push_back(std::string(400, 'w') + std::to_string(random()));
    for (int i = 0; i < 40; ++i) keys.push_back(test::random_text(keys, random));
    keys = test::in_order(keys);
    std::vector<std::uint64_t> values(keys.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = random() >> (i / 100 * 7);
    all.push_back({keys, test::build(keys, {16, bits, true}, 1, nullptr, values)});
  }
  return all;
}

/// CRIVO_DICTIONARY_MUTANTS: for a long run.
std::uint64_t mutants() {
  const char* const asked = std::getenv("CRIVO_DICTIONARY_MUTANTS");
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : 1500;
}

TEST(DamagedDictionary, ReadsNothingOutsideOfItsSections) {
  std::mt19937_64 random(5);
  const std::vector<Case> all = cases();
  for (std::uint64_t i = 0; i < mutants(); ++i) {
    SCOPED_TRACE(i);
    const Case& one = all[random() % all.size()];
    Built damaged = one.built;
    const std::vector<Part> parts{Part::head,      Part::tokens, Part::offsets,
                                  Part::directory, Part::blocks, Part::values};
    for (std::uint64_t changes = 1 + random() % 3; changes != 0; --changes) {
      base::Bytes& bytes = damaged.parts[parts[random() % parts.size()]];
      if (random() % 2 == 0) {
        bytes[random() % bytes.size()] = static_cast<std::byte>(random());
      } else {
        bytes[random() % bytes.size()] ^= static_cast<std::byte>(1U << random() % 8);
      }
    }
    Keys texts;
    for (int t = 0; t < 20; ++t) texts.push_back(test::random_text(one.keys, random));
    ask(damaged, texts);
  }
}

TEST(DamagedDictionary, RefusesSectionsOfAnotherSize) {
  const Case one = cases()[0];
  for (const Part part : {Part::head, Part::tokens, Part::offsets, Part::directory, Part::blocks}) {
    for (const bool longer : {false, true}) {
      Built other = one.built;
      base::Bytes& bytes = other.parts[part];
      bytes.resize(longer ? bytes.size() + 1 : bytes.size() - 1);
      EXPECT_THROW(Reader(other.sections()), Error);
    }
  }
  // Of the values only their heads are counted when they are opened.
  Built other = one.built;
  const std::size_t blocks = Reader(other.sections()).blocks();
  other.parts[Part::values].resize(16 * blocks + 8);
  EXPECT_FALSE(Reader(other.sections()).values()->get(one.keys.size() - 1));
  other.parts[Part::values].resize(16 * blocks + 7);
  EXPECT_THROW(Reader(other.sections()), Error);
}

}  // namespace
}  // namespace crivo::dictionary
