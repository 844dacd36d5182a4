// SPDX-License-Identifier: Apache-2.0
// Keys with their numbers or values, from files and pipes to sorted order.

#include <gtest/gtest.h>

#include <map>

#include "input/input_files.hpp"

namespace crivo::input {
namespace {

using Values = std::map<Hash128, std::uint64_t>;

HashOptions options(const InputFiles& files, DuplicatePolicy duplicates = DuplicatePolicy::refuse) {
  return {.duplicates = duplicates, .temp_dir = files.path()};
}

Values by_hash(const HashedKeys& hashed) {
  const stream::KeySlice keys = hashed.hashes.all();
  Values all;
  for (std::size_t i = 0; i < keys.size(); ++i) all.emplace(keys.hashes[i], keys.values[i]);
  EXPECT_EQ(all.size(), keys.size());
  return all;
}

HashedKeys numbered(const Strings& paths, const HashOptions& options, unsigned threads = 1,
                    const KeyFormat& format = {}) {
  Progress progress;
  return hashed_by([&](const UseKeys& use) {
    hash_numbered_keys({paths, format}, options, {threads, progress}, use);
  });
}

HashedKeys valued(const Strings& paths, const HashOptions& options, unsigned threads = 1,
                  unsigned bits = 64, const KeyFormat& format = {}) {
  Progress progress;
  return hashed_by([&](const UseKeys& use) {
    hash_values({paths, format}, {}, bits, options, {threads, progress}, use);
  });
}

/// Keys of very different lengths, so that blocks of a file have different numbers of them.
std::string key(std::uint64_t i) {
  return std::to_string(i) + std::string(i % 1000 == 0 ? 3000 : i % 13, 'x');
}

std::string text_of(std::uint64_t begin, std::uint64_t end) {
  std::string text;
  for (std::uint64_t i = begin; i < end; ++i) text += key(i) + "\n";
  return text;
}

Values numbers_of(std::uint64_t count) {
  Values values;
  for (std::uint64_t i = 0; i < count; ++i) values.emplace(hash_key(key(i), 0), i);
  return values;
}

TEST(NumberedKeys, OfFilesAndPipesOnThreads) {
  const InputFiles files;
  constexpr std::uint64_t kCount = 130'000;  // some 8 blocks
  const Values expected = numbers_of(kCount);
  const Strings all{files.write("all", text_of(0, kCount))};
  const Strings parts{files.write("a", text_of(0, 1)), files.write("b", text_of(1, 70'000)),
                      files.write("c", ""), files.write("d", text_of(70'000, kCount))};
  for (const unsigned threads : {1U, 2U, 3U}) {
    EXPECT_TRUE(by_hash(numbered(all, options(files), threads)) == expected) << threads;
    EXPECT_TRUE(by_hash(numbered(parts, options(files), threads)) == expected) << threads;
    const FilledPipe pipe(files, {text_of(1, 70'000)});
    const Strings mixed{parts[0], pipe.path(), parts[3]};
    EXPECT_TRUE(by_hash(numbered(mixed, options(files), threads)) == expected) << threads;
  }
}

TEST(NumberedKeys, InOtherFramings) {
  const InputFiles files;
  std::string wide;
  Values expected;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const std::string text = std::to_string(1'000'000 + i);
    wide += text;
    expected.emplace(hash_key(text, 0), i);
  }
  const std::string path = files.write("fixed", wide);
  const KeyFormat fixed{.framing = KeyFormat::Framing::fixed, .width = 7};
  EXPECT_TRUE(by_hash(numbered({path}, options(files), 3, fixed)) == expected);
  const std::string nul = files.write("nul", std::string("a\0b\0\0c", 6));
  const KeyFormat format{.framing = KeyFormat::Framing::null, .allow_empty = true};
  const Values four = by_hash(numbered({nul}, options(files), 2, format));
  EXPECT_EQ(four.at(hash_key("", 0)), 2U);
  EXPECT_EQ(four.at(hash_key("c", 0)), 3U);
}

TEST(NumberedKeys, OfRepeatedKeysTheFirstCounts) {
  const InputFiles files;
  const Strings twice{files.write("a", "x\ny\nx\n" + text_of(0, 60'000)),
                      files.write("b", "y\nz\n" + text_of(0, 60'000))};
  Values expected;
  for (const auto& [hash, number] : numbers_of(60'000)) expected.emplace(hash, number + 3);
  expected.emplace(hash_key("x", 0), 0);
  expected.emplace(hash_key("y", 0), 1);
  expected.emplace(hash_key("z", 0), 60'004);
  for (const unsigned threads : {1U, 3U}) {
    for (const DuplicatePolicy policy : {DuplicatePolicy::ignore, DuplicatePolicy::ignore_hashes}) {
      const HashedKeys hashed = numbered(twice, options(files, policy), threads);
      EXPECT_EQ(hashed.collected, 120'005U);
      EXPECT_TRUE(by_hash(hashed) == expected);
    }
  }
  EXPECT_NE(error_of(ErrorKind::bad_input, [&] { numbered(twice, options(files), 2); })
                .find("a:3: duplicate key \"x\", first on line 1"),
            std::string::npos);
}

Hash128 twins_before_2(std::string_view key, std::uint64_t seed) noexcept {
  return hash_key(seed < 2 && key == "TWIN" ? "twin" : key, seed);
}

/// All is done again with the next seed, from a pipe too.
TEST(NumberedKeys, AfterACollision) {
  const InputFiles files;
  const std::string text = text_of(0, 40'000) + "twin\nTWIN\n";
  HashOptions with = options(files);
  with.hash = twins_before_2;
  const FilledPipe pipe(files, {text});
  for (const std::string& path : {files.write("keys", text), pipe.path()}) {
    const HashedKeys hashed = numbered({path}, with, 2);
    EXPECT_EQ(hashed.seed, 2U);
    const Values values = by_hash(hashed);
    EXPECT_EQ(values.size(), 40'002U);
    EXPECT_EQ(values.at(hash_key("TWIN", 2)), 40'001U);
    for (std::uint64_t i = 0; i < 40'000; i += 77) EXPECT_EQ(values.at(hash_key(key(i), 2)), i);
  }
}

TEST(KeyValues, OfFilesAndPipesOnThreads) {
  const InputFiles files;
  std::string lines;
  std::string nul;
  Values expected;
  for (std::uint64_t i = 0; i < 60'000; ++i) {
    const std::uint64_t value = i == 7 ? UINT64_MAX : i * i;
    lines += key(i) + "\t" + std::to_string(value) + "\n";
    nul += key(i) + '\0' + std::to_string(value) + '\0';
    expected.emplace(hash_key(key(i), 0), value);
  }
  const std::string path = files.write("lines", lines);
  const std::string nul_path = files.write("nul", nul);
  for (const unsigned threads : {1U, 2U, 3U}) {
    for (const DuplicatePolicy policy : {DuplicatePolicy::refuse, DuplicatePolicy::ignore}) {
      const HashedKeys hashed = valued({path}, options(files, policy), threads);
      EXPECT_EQ(hashed.value_bits, 64U);
      EXPECT_TRUE(by_hash(hashed) == expected) << threads;
      EXPECT_TRUE(by_hash(valued({nul_path}, options(files, policy), threads, 64,
                                 {.framing = KeyFormat::Framing::null})) == expected);
      const FilledPipe pipe(files, {lines});
      EXPECT_TRUE(by_hash(valued({pipe.path()}, options(files, policy), threads)) == expected);
    }
  }
}

TEST(KeyValues, OfRepeatedKeysTheFirstCounts) {
  const InputFiles files;
  std::string first;
  std::string second;
  Values expected;
  for (std::uint64_t i = 0; i < 40'000; ++i) {
    first += key(i) + "\t" + std::to_string(40'000 - i) + "\n";
    second += key(i) + "\t" + std::to_string(i % 5) + "\n";
    expected.emplace(hash_key(key(i), 0), 40'000 - i);
  }
  const Strings paths{files.write("1", first), files.write("2", second)};
  for (const unsigned threads : {1U, 3U}) {
    for (const DuplicatePolicy policy : {DuplicatePolicy::ignore, DuplicatePolicy::ignore_hashes}) {
      EXPECT_TRUE(by_hash(valued(paths, options(files, policy), threads)) == expected);
      const FilledPipe pipe(files, {first, second});
      EXPECT_TRUE(by_hash(valued({pipe.path()}, options(files, policy), threads)) == expected);
    }
  }
  EXPECT_NE(error_of(ErrorKind::bad_input, [&] { valued(paths, options(files), 2); })
                .find(paths[1] + ":1: duplicate key"),
            std::string::npos);
}

TEST(KeyValues, ThatAreNoneAreNamedWithTheirLine) {
  const InputFiles files;
  const auto error = [&](const std::string& text, unsigned bits = 64) {
    const std::string path = files.write("pairs", text);
    const std::string message =
        error_of(ErrorKind::bad_input, [&] { valued({path}, options(files), 2, bits); });
    EXPECT_EQ(message.rfind(path, 0), 0U) << message;
    return message.substr(path.size());
  };
  for (const std::string bad : {"", " 1", "1 ", "+1", "-1", "0x10", "1.0", "1e3", "one", "1\t2"}) {
    EXPECT_NE(
        error("a\t1\nb\t" + bad + "\nc\t3\n").find(" is not an unsigned integer in decimal digits"),
        std::string::npos);
  }
  EXPECT_EQ(error("a\t1\nb\tx\n"),
            ":2: the value \"x\" is not an unsigned integer in decimal digits");
  EXPECT_EQ(error("a\t18446744073709551616\n"),
            ":1: the value \"18446744073709551616\" is 2^64 or more");
  EXPECT_EQ(error("a\t255\nb\t256\n", 8), ":2: the value 256 does not fit in 8 bits");
  EXPECT_EQ(error("a\t1\nb\t2\n", 1), ":2: the value 2 does not fit in 1 bit");
  EXPECT_EQ(error("a\t1\nb\n"),
            ":2: no TAB between the key and its value; each line must be key<TAB>value");
  EXPECT_NE(error("\t1\n").find(":1: the key is empty; remove the line, or allow empty keys"),
            std::string::npos);
  std::string many;
  for (int i = 0; i < 100'000; ++i)
    many += "k" + std::to_string(i) + "\t" + std::to_string(i) + "\n";
  EXPECT_EQ(error(many + "last\t?\n"),
            ":100001: the value \"?\" is not an unsigned integer in decimal digits");
  EXPECT_EQ(
      by_hash(valued({files.write("ok", "a\t007\nb\t0\n")}, options(files))).at(hash_key("a", 0)),
      7U);
}

TEST(KeyValues, AreNotOfFixedWidth) {
  const InputFiles files;
  const std::string path = files.write("fixed", "abcd");
  error_of(ErrorKind::usage, [&] {
    valued({path}, options(files), 1, 64, {.framing = KeyFormat::Framing::fixed, .width = 2});
  });
}

}  // namespace
}  // namespace crivo::input
