// SPDX-License-Identifier: Apache-2.0
// What suggests that a text was not meant as it is: CRs at the ends of lines. A byte order mark is
// none of it.

#include <gtest/gtest.h>

#include "input/first_page.hpp"
#include "input/input_files.hpp"

namespace crivo::input {
namespace {

const std::string kMark = "\xef\xbb\xbf";
const std::string kCrWarning = ": every line ends with a CR, which is part of it";
const std::string kSomeWarning = ": some lines end with a CR, which is part of it";

/// Their texts; what helps is known of that of the CR alone.
Strings texts(const std::vector<Warning>& warnings) {
  Strings texts;
  for (const Warning& warning : warnings) {
    texts.push_back(warning.text);
    EXPECT_EQ(warning.remedy,
              warning.text.ends_with(" with a CR, which is part of it") ? "strip_cr" : "");
  }
  return texts;
}

class TextSign : public testing::Test {
 protected:
  /// What a file of these bytes is warned of, without its name; the same with any number of
  /// threads, and through a pipe.
  Strings warned(const std::string& bytes, const KeyFormat& format = {}) {
    Strings warnings;
    for (const unsigned threads : {1U, 3U, 0U}) {
      const bool piped = threads == 0;
      const auto pipe = piped ? std::make_unique<FilledPipe>(files_, Strings{bytes}) : nullptr;
      const std::string path = piped ? pipe->path() : files_.write("keys", bytes);
      Strings now =
          texts(hash({path}, piped ? 2 : threads, format, DuplicatePolicy::ignore).warnings);
      for (std::string& warning : now) {
        EXPECT_TRUE(warning.starts_with(path)) << warning;
        warning.erase(0, path.size());
      }
      if (threads != 1) {
        EXPECT_EQ(now, warnings);
      }
      warnings = now;
    }
    return warnings;
  }

  InputFiles files_;
};

std::string many_lines(const std::string& end) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + end;
  return text;
}

TEST_F(TextSign, AByteOrderMark) {
  const auto of = [&](const std::string& bytes, const KeyFormat& format = {}) {
    const Strings found = keys_of(cut_keys({files_.write("marked", bytes)}, format, {}));
    FilledPipe pipe(files_, {bytes});
    EXPECT_EQ(keys_of(cut_keys({pipe.path()}, format, {})), found);
    return found;
  };
  EXPECT_EQ(of(kMark + "a\nb\n"), of("a\nb\n"));
  EXPECT_EQ(of(kMark + many_lines("\n")), of(many_lines("\n")));
  EXPECT_EQ(of(kMark + "head\na\n", {.skip_header = true}), of("a\n"));
  EXPECT_NE(of(kMark + "a\n", {.binary_lines = true}), of("a\n"));
  EXPECT_NE(of(kMark + "a", {.framing = KeyFormat::Framing::null}), of("a"));
  EXPECT_EQ(warned(kMark + "a\nb\n"), Strings{});
}

TEST_F(TextSign, ACrAtTheEndOfEveryLine) {
  EXPECT_EQ(warned("a\r\nb\r\n"), Strings{kCrWarning});
  EXPECT_EQ(warned("a\r\nb"), Strings{kCrWarning});
  EXPECT_EQ(warned(many_lines("\r\n")), Strings{kCrWarning});
  EXPECT_EQ(warned(many_lines("\r\n"), {.strip_cr = true}), Strings{});
  EXPECT_EQ(warned("a\r"), Strings{});
  EXPECT_EQ(warned(""), Strings{});
  EXPECT_EQ(warned(kMark + "a\r\n"), Strings{kCrWarning});
}

/// Of keys of any bytes some end with CR by chance.
TEST_F(TextSign, ACrAtTheEndOfSomeLines) {
  EXPECT_EQ(warned(many_lines("\r\n") + "a\n"), Strings{kSomeWarning});
  EXPECT_EQ(warned("a\n" + many_lines("\r\n")), Strings{kSomeWarning});
  EXPECT_EQ(warned(many_lines("\n") + "x\r\n"), Strings{kSomeWarning});
  EXPECT_EQ(warned(many_lines("\n") + "x\r\n", {.strip_cr = true}), Strings{});
  EXPECT_EQ(warned(many_lines("\n") + "x\1\r\n\xff\r\na\rb\nc\r"), Strings{});
}

TEST_F(TextSign, EachFileByItself) {
  const Strings paths{files_.write("1", "a\r\n"), files_.write("2", "b\n"),
                      files_.write("3", kMark + "c\n")};
  EXPECT_EQ(texts(hash(paths, 2).warnings), (Strings{paths[0] + kCrWarning}));
}

}  // namespace
}  // namespace crivo::input
