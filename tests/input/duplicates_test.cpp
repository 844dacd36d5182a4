// SPDX-License-Identifier: Apache-2.0
// Repeated keys are named with their places, or left out where that is asked for.

#include "input/duplicates.hpp"

#include <gtest/gtest.h>

#include "input/for_each_chunk.hpp"
#include "input/input_files.hpp"
#include "input/input_spool.hpp"

namespace crivo::input {
namespace {

const UnitFraming kFraming = UnitFraming::of_keys({});

std::string advice(std::uint64_t surplus) {
  return "; " + std::to_string(surplus) + (surplus == 1 ? " duplicate" : " duplicates") +
         " in total";
}

std::string numbers(int begin, int end) {
  std::string text;
  for (int i = begin; i < end; ++i) text += "key " + std::to_string(i) + "\n";
  return text;
}

TEST(Duplicates, WithinAFile) {
  const InputFiles files;
  const std::string path = files.write("keys", "a\nb\nc\nb\n");
  for (const unsigned threads : {1U, 2U, 3U}) {
    EXPECT_EQ(error_of(ErrorKind::bad_input, [&] { hash({path}, threads); }),
              path + ":4: duplicate key \"b\", first on line 2" + advice(1));
  }
}

TEST(Duplicates, TheFirstThreeAreNamed) {
  const InputFiles files;
  const std::string path = files.write("keys", "a\nb\nc\nd\nb\nb\nd\na\nc\n");
  EXPECT_EQ(error_of(ErrorKind::bad_input, [&] { hash({path}); }),
            path +
                ":5: duplicate key \"b\", first on line 2; line 7: duplicate key \"d\", first on "
                "line 4; line 8: duplicate key \"a\", first on line 1" +
                advice(5));
}

TEST(Duplicates, AcrossFiles) {
  const InputFiles files;
  const Strings paths{files.write("1", "a\nb\n"), files.write("2", "c\na\n")};
  for (const unsigned threads : {1U, 3U}) {
    EXPECT_EQ(error_of(ErrorKind::bad_input, [&] { hash(paths, threads); }),
              paths[1] + ":2: duplicate key \"a\", first at " + paths[0] + ":1" + advice(1));
  }
  const Strings twice{paths[0], paths[0]};
  EXPECT_EQ(error_of(ErrorKind::bad_input, [&] { hash(twice); }),
            paths[0] + ":1: duplicate key \"a\", first at " + paths[0] +
                ":1; line 2: duplicate key "
                "\"b\", first at " +
                paths[0] + ":2" + advice(2));
}

TEST(Duplicates, InLargeFilesByTheirLine) {
  const InputFiles files;
  const std::string path = files.write("keys", numbers(0, 150'000) + "key 17\n");
  for (const unsigned threads : {1U, 2U}) {
    EXPECT_EQ(error_of(ErrorKind::bad_input, [&] { hash({path}, threads); }),
              path + ":150001: duplicate key \"key 17\", first on line 18" + advice(1));
  }
}

TEST(Duplicates, TextIsQuoted) {
  const InputFiles files;
  const std::string wild("\x01\t\"\\\xff\x7f", 6);
  const std::string path = files.write("wild", wild + "\n" + wild + "\n");
  EXPECT_EQ(
      error_of(ErrorKind::bad_input, [&] { hash({path}); }),
      path + ":2: duplicate key \"\\x01\\x09\\\"\\\\\\xff\\x7f\", first on line 1" + advice(1));
  const std::string longest(kMaxKeyBytes, 'k');
  const std::string second = files.write("long", longest + "\n" + longest + "\n");
  EXPECT_EQ(error_of(ErrorKind::bad_input, [&] { hash({second}); }),
            second + ":2: duplicate key \"" + std::string(200, 'k') +
                "\"... (1048576 bytes), first on line 1" + advice(1));
}

TEST(Duplicates, InOtherFramings) {
  const InputFiles files;
  const std::string path = files.write("fixed", "abcdabyyab");
  const KeyFormat fixed{.framing = KeyFormat::Framing::fixed, .width = 2};
  EXPECT_EQ(error_of(ErrorKind::bad_input, [&] { hash({path}, 1, fixed); }),
            path + ": key 3: duplicate key \"ab\", first is key 1" + advice(2));
  const std::string nul = files.write("nul", std::string("a\0b\0a", 5));
  EXPECT_EQ(error_of(ErrorKind::bad_input,
                     [&] { hash({nul}, 2, {.framing = KeyFormat::Framing::null}); }),
            nul + ": key 3: duplicate key \"a\", first is key 1" + advice(1));
}

TEST(Duplicates, IgnoredWhereAsked) {
  const InputFiles files;
  const std::string path = files.write("keys", "a\nb\na\na\n");
  const HashedKeys hashed = hash({path}, 2, {}, DuplicatePolicy::ignore);
  EXPECT_EQ(hashed.hashes.size(), 2U);
  EXPECT_EQ(hashed.collected, 4U);
  EXPECT_EQ(hashed.temp_bytes, 0U);
}

/// A pipe cannot be read again: what was spooled names the keys.
TEST(Duplicates, FromAPipe) {
  const InputFiles files;
  for (const unsigned threads : {1U, 3U}) {
    const FilledPipe pipe(files, {numbers(0, 200'000), "key 9", "\nz\n"});
    EXPECT_EQ(
        error_of(ErrorKind::bad_input,
                 [&] { hash({pipe.path()}, threads, {}, DuplicatePolicy::refuse, files.path()); }),
        pipe.path() + ":200001: duplicate key \"key 9\", first on line 10" + advice(1));
  }
}

TEST(Duplicates, FromAPipeAfterAFile) {
  const InputFiles files;
  const std::string path = files.write("keys", "a\nb\n");
  const FilledPipe pipe(files, {"c\nb\n"});
  EXPECT_EQ(error_of(ErrorKind::bad_input,
                     [&] {
                       hash({path, pipe.path()}, 2);
                     }),
            pipe.path() + ":2: duplicate key \"b\", first at " + path + ":2" + advice(1));
}

TEST(Duplicates, FromAPipeWithoutRoomForASpool) {
  const InputFiles files;
  const FilledPipe pipe(files, {"a\na\n"});
  EXPECT_EQ(
      error_of(ErrorKind::bad_input,
               [&] { hash({pipe.path()}, 1, {}, DuplicatePolicy::refuse, files.path() / "none"); }),
      pipe.path() +
          ": duplicate keys (on unknown lines, because the input could not be kept in "
          "the temporary directory)" +
          advice(1));
}

TEST(Duplicates, ACollisionIsNoDuplicate) {
  const std::vector<Hash128> repeated{{1, 42}};
  const KeyReplay replay = [](const KeyVisitor& visit) {
    const std::string_view one = "one";
    const std::string_view two = "two";
    return visit(42, {0, 0, 3}, &one), visit(42, {0, 9, 5}, &two), true;
  };
  EXPECT_EQ(
      look_at_repeats(repeated, 1, {"-"}, kFraming, replay).message,
      "(standard input):6: the key \"two\" has the same 128-bit hash as the key \"one\"; build "
      "with another seed, first on line 4" +
          advice(1));
}

ParseKeys line_parser() {
  return [](const Chunk& chunk, const VisitKey& visit) { for_each_key(chunk, KeyFormat{}, visit); };
}

/// Beyond the first 10^6 keys of a pipe, the text is not kept: only the place is told.
TEST(InputSpool, KeepsTheTextOfTheFirstMillionKeys) {
  const InputFiles files;
  InputSpool spool(files.path());
  const auto add = [&](std::string_view bytes, std::uint64_t ordinal,
                       std::vector<std::uint64_t> hashes) {
    Chunk chunk;
    chunk.start = {0, 7 * ordinal, ordinal};
    chunk.ordinal = ordinal;
    chunk.storage.assign(bytes.begin(), bytes.end());
    chunk.bytes = chunk.storage;
    spool.add(chunk, hashes);
  };
  add("late\nlater\n", InputSpool::kTextKeys, {30, 31});  // chunks come in any order
  add("c\n", InputSpool::kTextKeys - 1, {20});
  add("a\nb\n", 0, {10, 11});
  std::string seen;
  EXPECT_TRUE(spool.replay(
      line_parser(), [&](std::uint64_t hash, const Place& place, const std::string_view* text) {
        seen += std::to_string(hash) + "@" + std::to_string(place.line) + ":" +
                (text != nullptr ? std::string(*text) : "-") + " ";
        return hash != 30;
      }));
  EXPECT_EQ(seen, "10@0:a 11@1:b 20@999999:c 30@1000000:- ");
  EXPECT_EQ(spool.temp_bytes(), 5 * 8 + 4 + 2U);
  EXPECT_EQ(error_of(ErrorKind::bad_input,
                     [&] {
                       throw Error(
                           ErrorKind::bad_input,
                           look_at_repeats(std::vector<Hash128>{{0, 31}}, 1, {"pipe"}, kFraming,
                                           [](const KeyVisitor& visit) {
                                             const std::string_view first = "x";
                                             visit(31, {0, 0, 4}, &first);
                                             visit(31, {0, 0, 1'000'001}, nullptr);
                                             return true;
                                           })
                               .message);
                     }),
            "pipe:1000002: duplicate key, first on line 5" + advice(1));
}

/// Where blank lines stand between keys, a key's line follows from the text alone: it is kept.
TEST(InputSpool, KeepsLateTextWithBlankLines) {
  KeyFormat format;
  format.json_key = "k";
  const ParseKeys parse = [&](const Chunk& chunk, const VisitKey& visit) {
    for_each_key(chunk, format, visit);
  };
  Chunk chunk;
  chunk.ordinal = chunk.start.line = InputSpool::kTextKeys;
  const std::string_view bytes = "{\"k\":\"a\"}\n\n{\"k\":\"b\"}\n";
  chunk.storage.assign(bytes.begin(), bytes.end());
  chunk.bytes = chunk.storage;
  std::vector<std::uint64_t> hashes;
  parse(chunk, [&](std::string_view, std::uint64_t i, std::size_t) { hashes.push_back(i); });
  const InputFiles files;
  InputSpool spool(files.path());
  spool.add(chunk, hashes);
  std::string seen;
  EXPECT_TRUE(
      spool.replay(parse, [&](std::uint64_t, const Place& place, const std::string_view* text) {
        seen += std::to_string(place.line) + ":" + std::string(text != nullptr ? *text : "-") + " ";
        return true;
      }));
  EXPECT_EQ(seen, "1000000:a 1000002:b ");
}

/// Of several faults the first of the input is reported, whichever thread meets it.
TEST(HashKeys, TheFirstFaultIsReported) {
  const InputFiles files;
  const std::string good = numbers(0, 250'000);
  std::string bad = good;
  for (const int line : {120'000, 180'000, 240'000}) {
    bad.replace(bad.find("key " + std::to_string(line) + "\n"), std::to_string(line).size() + 5,
                "\n");
  }
  const Strings paths{files.write("good", good), files.write("bad", bad),
                      files.write("third", "\n")};
  for (int round = 0; round < 5; ++round) {
    for (const unsigned threads : {1U, 2U, 3U}) {
      EXPECT_EQ(error_of(ErrorKind::bad_input, [&] { hash(paths, threads); }),
                paths[1] + ":120001: the key is empty; remove the line, or allow empty keys");
    }
  }
}

TEST(HashKeys, SameHashesInAnyOrderAndNumberOfThreads) {
  const InputFiles files;
  const Strings paths{files.write("1", numbers(0, 60'000)),
                      files.write("2", numbers(60'000, 90'000))};
  const HashedKeys expected = hash(paths);
  EXPECT_EQ(expected.collected, 90'000U);
  for (const unsigned threads : {2U, 3U}) {
    const HashedKeys hashed = hash({paths[1], paths[0]}, threads);
    EXPECT_TRUE(std::ranges::equal(hashed.hashes.partition(0, 0), expected.hashes.partition(0, 0)));
  }
}

TEST(HashKeys, ReplayNeedsFiles) {
  const InputFiles files;
  const std::string path = files.write("keys", "a\nb\nc\n");
  Strings seen;
  EXPECT_TRUE(
      replay_keys({{path}, {}}, false, {hash_key, 5},
                  [&](std::uint64_t hash, const Place& place, const std::string_view* text) {
                    EXPECT_EQ(hash, hash_key(*text, 5).lo);
                    EXPECT_EQ(place.line, seen.size());
                    seen.emplace_back(*text);
                    return seen.size() < 2;
                  }));
  EXPECT_EQ(seen, (Strings{"a", "b"}));
  seen.clear();
  const auto note = [&](std::uint64_t, const Place&, const std::string_view* text) {
    seen.emplace_back(*text);
    return true;
  };
  EXPECT_TRUE(replay_keys({{files.write("pairs", "a\t1\nb\t2\n")}, {}}, true, {hash_key, 0}, note));
  EXPECT_EQ(seen, (Strings{"a", "b"}));
  const FilledPipe pipe(files, {"a\n"});
  EXPECT_FALSE(
      replay_keys({{pipe.path()}, {}}, false, {hash_key, 0},
                  [](std::uint64_t, const Place&, const std::string_view*) { return true; }));
  EXPECT_EQ(keys_of(cut_keys({pipe.path()}, {}, {})), Strings{"a"});
}

}  // namespace
}  // namespace crivo::input
