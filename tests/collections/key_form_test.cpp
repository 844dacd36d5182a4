// SPDX-License-Identifier: Apache-2.0
// Forms of keys have texts, and make keys as collections do. (tests/readers/key_forms.py has more,
// for Python and Java.)

#include <gtest/gtest.h>

#include "crivo/build/extract.hpp"
#include "crivo/error.hpp"

namespace crivo::keys {
namespace {

TEST(KeyForm, HasAText) {
  const auto text = [](const ExtractOptions& options) { return form_text(form_of(options)); };
  EXPECT_EQ(text({}), "lines");
  EXPECT_EQ(text({.what = Extract::urls}), "urls");
  EXPECT_EQ(text({.what = Extract::urls, .surt = true}), "urls surt");
  EXPECT_EQ(text({.what = Extract::terms}), "terms fold");
  EXPECT_EQ(text({.what = Extract::terms, .fold = false}), "terms");
  EXPECT_EQ(text({.what = Extract::docnos, .fold = false}), "docnos");
  EXPECT_EQ(text({.what = Extract::kmers, .k = 7}), "kmers 7");
  EXPECT_THROW(form_of({.what = Extract::kmers, .k = 32}), Error);
  for (const char* const one :
       {"lines", "urls", "urls surt", "terms fold", "terms", "docnos", "kmers 1", "kmers 31"})
    EXPECT_EQ(form_text(parse_form(one).value()), one);
  for (const char* const none : {"", "Lines", "urls ", "urls fold", "kmers", "kmers 0", "kmers 32",
                                 "kmers 07", "terms  fold", "lines x"})
    EXPECT_EQ(parse_form(none), std::nullopt) << none;
}

TEST(KeyForm, MakesKeys) {
  const auto key = [](const char* form, std::string_view text) {
    return key_of(parse_form(form).value(), text);
  };
  EXPECT_EQ(key("lines", " A "), " A ");
  EXPECT_EQ(key("urls", "\t<http://A.example/b c> "), "http://A.example/b%20c");
  EXPECT_EQ(key("urls surt", " <http://A.example/b c> "), "example,a)/b%20c");
  EXPECT_EQ(key("terms fold", "Word"), "word");
  EXPECT_EQ(key("terms", "Word"), "Word");
  EXPECT_EQ(key("kmers 3", "cgT"), std::string("\6\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(key("kmers 3", "ACGT"), "");
  EXPECT_EQ(kmer(std::string(31, 'T')), 0U);
  EXPECT_EQ(kmer("ANA"), std::nullopt);
}

TEST(KeyForm, IsReadOfMetadata) {
  EXPECT_EQ(recorded_form({}), std::nullopt);
  EXPECT_EQ(recorded_form({{"crivo.with.keys", "kmers 5"}}),
            (KeyForm{.what = Extract::kmers, .k = 5}));
  EXPECT_EQ(recorded_form({{"crivo.with.keys", "of another version"}}), std::nullopt);
}

}  // namespace
}  // namespace crivo::keys
