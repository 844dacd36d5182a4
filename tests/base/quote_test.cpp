// SPDX-License-Identifier: Apache-2.0
// UTF-8 is told from other bytes, and messages quote what a terminal would obey.

#include <gtest/gtest.h>

#include "crivo/error.hpp"

namespace crivo::base {
namespace {

using std::string_view_literals::operator""sv;

TEST(Utf8, CharactersOfEveryLength) {
  for (const std::string_view sound :
       {"\0"sv, "\x7f"sv, "\xc2\x80"sv, "\xdf\xbf"sv, "\xe0\xa0\x80"sv, "\xed\x9f\xbf"sv,
        "\xee\x80\x80"sv, "\xef\xbf\xbf"sv, "\xf0\x90\x80\x80"sv, "\xf4\x8f\xbf\xbf"sv}) {
    EXPECT_EQ(utf8_length(sound), sound.size());
    EXPECT_EQ(utf8_length(std::string(sound) + "more"), sound.size());
    EXPECT_TRUE(is_utf8("a" + std::string(sound) + "b"));
    for (std::size_t size = 1; size < sound.size(); ++size) {
      EXPECT_EQ(utf8_length(sound.substr(0, size)), 0U);  // cut short
      EXPECT_FALSE(is_utf8(std::string(sound.substr(0, size)) + "ab"));
    }
  }
  EXPECT_EQ(utf8_length(""), 0U);
  EXPECT_TRUE(is_utf8(""));
}

TEST(Utf8, WhatIsNone) {
  for (const std::string_view wrong :
       {"\x80"sv, "\xbf"sv, "\xff"sv, "\xc0\x80"sv, "\xc1\xbf"sv,            // no leads
        "\xc2\x7f"sv, "\xc2\xc0"sv, "\xe1\x80\x7f"sv, "\xf1\x80\x80\xc0"sv,  // no trail
        "\xe0\x9f\xbf"sv, "\xf0\x8f\xbf\xbf"sv,                              // overlong
        "\xed\xa0\x80"sv, "\xf4\x90\x80\x80"sv, "\xf5\x80\x80\x80"sv}) {     // surrogate, too large
    EXPECT_EQ(utf8_length(wrong), 0U);
    EXPECT_FALSE(is_utf8(wrong));
  }
}

TEST(Quote, WhatATerminalWouldObey) {
  EXPECT_EQ(escape("a\x1b[2J\r\n\tb\x7f"sv), "a\\x1b[2J\\x0d\\x0a\\x09b\\x7f");
  EXPECT_EQ(escape("\0"sv), "\\x00");
  EXPECT_EQ(escape("\xc2\x9b"
                   "1m"),
            "\\xc2\\x9b1m");  // CSI as one character
  EXPECT_EQ(escape("\x9b"
                   "1m"),
            "\\x9b1m");  // and as one byte
  EXPECT_EQ(escape("caf\xc3\xa9 \xc2\xa0 \"\\ \xf0\x9f\x98\x80"),
            "caf\xc3\xa9 \xc2\xa0 \"\\ \xf0\x9f\x98\x80");
  // What turns the direction of text, and its other line ends.
  for (const std::string_view mark :
       {"\xd8\x9c"sv, "\xe2\x80\x8e"sv, "\xe2\x80\x8f"sv, "\xe2\x80\xa8"sv, "\xe2\x80\xa9"sv,
        "\xe2\x80\xaa"sv, "\xe2\x80\xae"sv, "\xe2\x81\xa6"sv, "\xe2\x81\xa9"sv, "\xc2\x85"sv}) {
    EXPECT_EQ(escape(mark).substr(0, 2), "\\x") << escape(mark);
    EXPECT_EQ(escape(mark).size(), 4 * mark.size());
  }
  for (const std::string_view other :
       {"\xd8\x9d"sv, "\xe2\x80\x8d"sv, "\xe2\x80\x90"sv, "\xe2\x80\xa7"sv, "\xe2\x80\xaf"sv,
        "\xe2\x81\xa5"sv, "\xe2\x81\xaa"sv, "\xe3\x80\xaa"sv})
    EXPECT_EQ(escape(other), other);
  EXPECT_EQ(escape("\xc3"), "\\xc3");
  EXPECT_EQ(escape(""), "");
}

TEST(Quote, InQuotesAndCutShort) {
  EXPECT_EQ(quote("a\"b\\c\n"), "\"a\\\"b\\\\c\\x0a\"");
  EXPECT_EQ(quote(std::string(200, 'x')), '"' + std::string(200, 'x') + '"');
  EXPECT_EQ(quote(std::string(201, 'x')), '"' + std::string(200, 'x') + "\"... (201 bytes)");
  // A character is whole or left out.
  EXPECT_EQ(quote(std::string(199, 'x') + "\xc3\xa9"), '"' + std::string(199, 'x') + "\xc3\xa9\"");
}

}  // namespace
}  // namespace crivo::base
