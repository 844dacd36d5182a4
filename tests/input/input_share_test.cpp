// SPDX-License-Identifier: Apache-2.0
// Parts of an input have each unit once, and in order, wherever they are cut.

#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "input/input_files.hpp"
#include "input/input_parts.hpp"
#include "support/compressed.hpp"

namespace crivo::input {
namespace {

KeyFormat format_of(KeyFormat::Framing framing, std::uint32_t width = 0) {
  KeyFormat format{.framing = framing, .width = width};
  format.allow_empty = true;
  return format;
}

/// The text, each run of about `bytes` compressed by itself, wherever its units end.
template <typename Compress>
std::string in_streams(std::string_view text, std::size_t bytes, Compress&& compress,
                       std::mt19937& random) {
  std::string all;
  while (!text.empty()) {
    const std::size_t size = std::min<std::size_t>(text.size(), 1 + random() % (2 * bytes));
    all += compress(text.substr(0, size));
    text.remove_prefix(size);
  }
  return all;
}

/// Random units, each with its delimiter, if there is one, but for the last one's now and then.
std::string random_text(std::mt19937& random, std::size_t units, const std::string& delimiter,
                        std::size_t longest, std::uint32_t width) {
  std::string text;
  for (std::size_t i = 0; i < units; ++i) {
    const std::size_t size = width != 0 ? width : random() % (longest + 1);
    for (std::size_t k = 0; k < size; ++k) text += static_cast<char>('a' + random() % 26);
    text += delimiter;
  }
  if (!text.empty() && !delimiter.empty() && random() % 2 == 0) text.pop_back();
  return text;
}

Strings keys_of_parts(const Strings& paths, const KeyFormat& format, std::uint64_t parts) {
  Strings keys;
  for (std::uint64_t part = 0; part < parts; ++part) {
    const auto share = share_of_input(paths, UnitFraming::of_keys(format), part, parts);
    if (!share) continue;
    for (const bool resumed : {false, true}) {
      Strings own;
      const auto pieces = resumed ? cut_input(paths, UnitFraming::of_keys(format), 100, *share)
                                  : std::vector<InputPart>{*share};
      for (const InputPart& piece : pieces) {
        const auto some = keys_of(cut_keys(paths, format, {.part = piece}));
        own.insert(own.end(), some.begin(), some.end());
      }
      if (!resumed) keys.insert(keys.end(), own.begin(), own.end());
      if (resumed) {
        EXPECT_TRUE(std::equal(own.rbegin(), own.rend(), keys.rbegin()));
      }
    }
  }
  return keys;
}

struct Way {
  KeyFormat format;
  std::string delimiter;
};

std::vector<Way> ways() {
  KeyFormat crlf = format_of(KeyFormat::Framing::lines);
  crlf.strip_cr = true;
  KeyFormat csv = format_of(KeyFormat::Framing::lines);
  csv.key_column = 1;
  csv.column_delimiter = ',';
  csv.skip_header = true;
  return {{format_of(KeyFormat::Framing::lines), "\n"},
          {crlf, "\r\n"},
          {csv, ",x\n"},
          {format_of(KeyFormat::Framing::null), std::string(1, '\0')},
          {format_of(KeyFormat::Framing::fixed, 7), ""}};
}

TEST(InputShare, PlainFilesOfAnySizesInAnyNumberOfParts) {
  std::mt19937 random(1);
  for (const auto& [format, delimiter] : ways()) {
    for (int round = 0; round < 40; ++round) {
      const InputFiles files;
      Strings paths;
      const std::size_t number = 1 + random() % 3;
      for (std::size_t f = 0; f < number; ++f)
        paths.push_back(files.write(
            std::to_string(f), random_text(random, random() % 60, delimiter, 20, format.width)));
      const Strings all = keys_of(cut_keys(paths, format, {}));
      for (const std::uint64_t parts : {2U, 3U, 8U, 50U})
        EXPECT_EQ(keys_of_parts(paths, format, parts), all) << parts << " parts, round " << round;
    }
  }
}

TEST(InputShare, BlocksAndUnitsThatOutgrowParts) {
  std::mt19937 random(2);
  for (const auto& [format, delimiter] : ways()) {
    const InputFiles files;
    const std::size_t longest = format.width != 0 ? 7 : 40'000;
    const std::string path = files.write(
        "keys",
        random_text(random, format.width != 0 ? 200'000 : 60, delimiter, longest, format.width));
    const Strings all = keys_of(cut_keys({path}, format, {}));
    for (const std::uint64_t parts : {2U, 7U, 64U})
      EXPECT_EQ(keys_of_parts({path}, format, parts), all) << parts;
  }
}

TEST(InputShare, PartsAreAboutEven) {
  const InputFiles files;
  std::mt19937 random(3);
  const std::string path = files.write("keys", random_text(random, 30'000, "\n", 20, 0));
  const KeyFormat format = format_of(KeyFormat::Framing::lines);
  for (std::uint64_t part = 0; part < 3; ++part) {
    const auto share = share_of_input({path}, UnitFraming::of_keys(format), part, 3);
    ASSERT_TRUE(share);
    EXPECT_NEAR(static_cast<double>(cut_keys({path}, format, {.part = *share}).size()), 10'000,
                300);
  }
}

TEST(InputShare, StreamsOfOneFile) {
  std::mt19937 random(4);
  for (const auto& [format, delimiter] : ways()) {
    if (format.width != 0) continue;
    for (int round = 0; round < 12; ++round) {
      const InputFiles files;
      const std::string text = random_text(random, 400, delimiter, 30, 0);
      const bool frames = round % 2 == 0;
      const auto gzip = [](std::string_view some) { return test::gzip(some); };
      const std::size_t bytes = round % 3 == 0 ? 20 : 700;  // streams shorter than units, or longer
      const std::string path =
          files.write("keys", frames ? in_streams(text, bytes, test::zstd, random)
                                     : in_streams(text, bytes, gzip, random));
      const Strings all = keys_of(cut_keys({path}, format, {}));
      for (const std::uint64_t parts : {2U, 3U, 8U})
        EXPECT_EQ(keys_of_parts({path}, format, parts), all) << parts << " parts, round " << round;
    }
  }
}

TEST(InputShare, CompressedFilesAsManyAsPartsStayWhole) {
  std::mt19937 random(5);
  const InputFiles files;
  Strings paths;
  for (unsigned f = 0; f < 4; ++f)
    paths.push_back(
        files.write(std::to_string(f), test::gzip(random_text(random, 50 + 30U * f, "\n", 9, 0))));
  const KeyFormat format = format_of(KeyFormat::Framing::lines);
  const Strings all = keys_of(cut_keys(paths, format, {}));
  EXPECT_EQ(keys_of_parts(paths, format, 4), all);
  EXPECT_NE(error_of(ErrorKind::usage, [&] { keys_of_parts(paths, format, 5); })
                .find("no gzip member begins"),
            std::string::npos);
}

TEST(InputShare, SaysWhyAFileCannotBeCut) {
  std::mt19937 random(6);
  const InputFiles files;
  const std::string text = random_text(random, 3000, "\n", 20, 0);
  const std::string plain = files.write("plain", text);
  const std::string frame = files.write("frame", test::zstd(text));
  const std::string two = files.write("two", test::zstd(text) + test::zstd(text));
  const auto problem = [](const std::string& path, const UnitFraming& framing) {
    return error_of(ErrorKind::usage, [&] { (void)share_of_input({path}, framing, 0, 2); });
  };
  const auto expect_said = [](const std::string& said, const std::string& part) {
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  const KeyFormat lines = format_of(KeyFormat::Framing::lines);
  expect_said(problem(frame, UnitFraming::of_keys(lines)), "no zstd frame begins");
  KeyFormat csv = lines;
  csv.quotes = true;
  expect_said(problem(plain, UnitFraming::of_keys(csv)), "quoted columns");
  const KeyFormat null = format_of(KeyFormat::Framing::null);
  expect_said(problem(plain, UnitFraming::of_records(null)), "NUL");
  const KeyFormat fixed = format_of(KeyFormat::Framing::fixed, 3);
  expect_said(problem(two, UnitFraming::of_keys(fixed)), "no delimiters");
  EXPECT_EQ(share_of_input({frame}, UnitFraming::of_keys(lines), 0, 1)->end_byte, UINT64_MAX);
}

TEST(InputShare, AStreamInsideOfOneIsNoCut) {
  std::mt19937 random(7);
  const InputFiles files;
  const std::string inner = test::gzip(random_text(random, 100, "\n", 20, 0));
  const std::string filler = random_text(random, 200, "\n", 20, 0);
  const std::string path = files.write("keys", test::gzip(filler + inner + filler, 0));
  const KeyFormat format = format_of(KeyFormat::Framing::lines);
  const std::string said = error_of(ErrorKind::usage, [&] { keys_of_parts({path}, format, 2); });
  EXPECT_NE(said.find("cannot be cut"), std::string::npos) << said;
}

}  // namespace
}  // namespace crivo::input
