// SPDX-License-Identifier: Apache-2.0
// The terms of pages in web archives: their words, whatever servers and archives made of them.

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "crivo/build/extract.hpp"
#include "crivo/build/keys.hpp"
#include "support/compressed.hpp"
#include "support/temp_directory.hpp"

namespace crivo {
namespace {

using Terms = std::vector<std::string>;

std::string warc(const std::string& content,
                 const std::string& type = "application/http; msgtype=response",
                 const std::string& kind = "response") {
  return "WARC/1.0\r\nWARC-Type: " + kind + "\r\nWARC-Record-ID: <urn:1>\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(content.size()) + "\r\n\r\n" + content +
         "\r\n\r\n";
}

std::string http(const std::string& body, const std::string& fields = "Content-Type: text/html") {
  return "HTTP/1.1 200 OK\r\n" + fields + "\r\n\r\n" + body;
}

std::string chunked(const std::string& body, std::size_t size) {
  std::string chunks;
  for (std::size_t at = 0; at < body.size(); at += size) {
    const std::string chunk = body.substr(at, size);
    char digits[20];
    (void)std::snprintf(digits, sizeof digits, "%zx", chunk.size());
    chunks += digits + std::string("\r\n") + chunk + "\r\n";
  }
  return chunks + "0\r\nTrailer: none\r\n\r\n";
}

std::string zlib_packed(const std::string& text) {
  std::string packed(compressBound(text.size()), '\0');
  uLongf size = packed.size();
  compress(reinterpret_cast<Bytef*>(packed.data()), &size,
           reinterpret_cast<const Bytef*>(text.data()), text.size());
  packed.resize(size);
  return packed;
}

struct FoundTerms {
  Terms terms;
  ExtractSummary summary;
};

FoundTerms terms_in(const std::string& file,
                    const ExtractOptions& options = {.what = Extract::terms}) {
  const test::TempDirectory directory;
  const std::string path = (directory.path() / "file").string();
  std::ofstream(path, std::ios::binary) << file;
  FoundTerms found;
  Progress progress;
  read_keys(extracted_keys({path}, options, found.summary), progress, [&](const KeyBlock& block) {
    found.terms.insert(found.terms.end(), block.keys.begin(), block.keys.end());
  });
  return found;
}

Terms terms_of(const std::string& file) {
  FoundTerms found = terms_in(file);
  EXPECT_EQ(found.summary.bad_records + found.summary.cut_files, 0U)
      << found.summary.warnings.front().text;
  return std::move(found.terms);
}

Terms terms_of_html(const std::string& html) {
  return terms_of(warc(http(html)));
}

TEST(WebTerms, StandBetweenTags) {
  EXPECT_EQ(terms_of_html("<p class=a>One<br>two<i>three</i></p>"), (Terms{"one", "two", "three"}));
  EXPECT_EQ(terms_of_html("a < b <3 c<d>e"), (Terms{"a", "b", "3", "c", "e"}));
  EXPECT_EQ(terms_of_html("<!DOCTYPE html><?php x ?>y"), (Terms{"y"}));
  EXPECT_EQ(terms_of_html("a<img alt=\"x > y\" title = 'z>'>b<p a=it's>c"), (Terms{"a", "b", "c"}));
  EXPECT_EQ(terms_of_html("\"x='>y\" <p x=\">"), (Terms{"x", "y"}));
}

TEST(WebTerms, AreNotInCommentsScriptsAndStyles) {
  EXPECT_EQ(terms_of_html("a<!-- x > y -- z -->b<!-->c<!--->d<!-- x --!>e"),
            (Terms{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(terms_of_html("a<script type='x'>if (a < b) '</p>';</SCRIPT >b<STYLE>p {}</style>c"),
            (Terms{"a", "b", "c"}));
  EXPECT_EQ(terms_of_html("<scripts>a</scripts><script/>b</script>c"), (Terms{"a", "c"}));
  EXPECT_EQ(terms_of(warc(http("<script src='x'/>b", "Content-Type: application/xhtml+xml"))),
            (Terms{"b"}));
}

TEST(WebTerms, HaveTheLettersOfReferences) {
  EXPECT_EQ(terms_of_html("caf&eacute; &Eacute;T&Eacute; na&#239;ve &#xE9;t&#XE9; &#65;b"),
            (Terms{"café", "ÉtÉ", "naïve", "été", "ab"}));
  EXPECT_EQ(terms_of_html("a&amp;b c&nbsp;d it&rsquo;s e&#8217;f g&times;h &copy;i &hyph;j"),
            (Terms{"a", "b", "c", "d", "it", "s", "e", "f", "g", "h", "i", "j"}));
  EXPECT_EQ(terms_of_html("AT&T caf&eacute R&D&eacute;x &alpha;1 &alpha 2 &scaron;&#138;"),
            (Terms{"at", "t", "café", "r", "déx", "α1", "alpha", "2", "šŠ"}));
  EXPECT_EQ(terms_of_html("a&#0;b&#xD800;c&#x110000;d&#99999999999;e&#;f&#x;g&;h"),
            (Terms{"a", "b", "c", "d", "e", "f", "g", "h"}));
  EXPECT_EQ(terms_of_html("&#x4e2d;&#x10400; x&thisnameislongerthanany;y AT&T"),
            (Terms{"中𐐀", "x", "thisnameislongerthanany", "y", "at", "t"}));
  EXPECT_EQ(terms_of_html("a&b<c>d&&eacute;"), (Terms{"a", "b", "d", "é"}));
}

TEST(WebTerms, AreThoseOfTheBodyAsItWas) {
  const std::string page = "<html><title>Some words</title><p>of a page</p>" +
                           std::string(3000, ' ') + "<b>and its end</b></html>";
  const Terms words{"some", "words", "of", "a", "page", "and", "its", "end"};
  const std::string html = "Content-Type: text/html; charset=utf-8\r\n";
  for (const std::size_t size : {1U, 7U, 64U, 5000U}) {
    EXPECT_EQ(terms_of(warc(http(chunked(page, size), html + "Transfer-Encoding: chunked"))),
              words);
    EXPECT_EQ(terms_of(warc(http(chunked(test::gzip(page), size),
                                 html + "TRANSFER-ENCODING: Chunked\r\ncontent-encoding: GZIP"))),
              words);
  }
  EXPECT_EQ(terms_of(warc(http(test::zstd(page), html + "Content-Encoding: zstd"))), words);
  EXPECT_EQ(terms_of(warc(http(zlib_packed(page), html + "Content-Encoding: deflate"))), words);
  // Archives that decode bodies leave headers as they were.
  EXPECT_EQ(terms_of(warc(http(page, html + "Content-Encoding: br"))), words);
  EXPECT_EQ(terms_of(warc(http(page, html + "Transfer-Encoding: chunked"))), words);
  EXPECT_EQ(terms_of(warc(http("one line", html + "Transfer-Encoding: chunked"))),
            (Terms{"one", "line"}));
  EXPECT_EQ(terms_of(warc(http("", html + "Transfer-Encoding: chunked"))), Terms());
  EXPECT_EQ(terms_of(warc(http(test::gzip(page) + "trailing", html + "Content-Encoding: gzip"))),
            words);
}

TEST(WebTerms, AreOfTextAlone) {
  EXPECT_EQ(terms_of(warc(http("\xef\xbb\xbf<b>x</b> y", "Content-Type: text/plain"))),
            (Terms{"b", "x", "b", "y"}));
  EXPECT_EQ(terms_of(warc(http("\xef\xbb\xbf<b>x</b>", "Server: s"))), (Terms{"x"}));
  EXPECT_EQ(terms_of(warc(http("x y", "Server: s"))), Terms());
  for (const char* type : {"image/png", "text/css", "application/json", "application/javascript"})
    EXPECT_EQ(terms_of(warc(http("x", "Content-Type: " + std::string(type)))), Terms());
  EXPECT_EQ(terms_of(warc("<a>x</a>", "image/svg+xml", "resource")), (Terms{"x"}));
  EXPECT_EQ(terms_of(warc("HTTP/2 is text\n\nhere", "text/plain", "conversion")),
            (Terms{"http", "2", "is", "text", "here"}));
  EXPECT_EQ(terms_of(warc(http("<p>x"), "", "response")), (Terms{"x"}));
  EXPECT_EQ(terms_of(warc("<p>x", "", "response")), (Terms{"x"}));
  EXPECT_EQ(terms_of(warc("<p>", "", "response") + warc("", "", "response")), Terms());
  EXPECT_EQ(
      terms_of(warc(http("x")) + warc("GET / HTTP/1.1\r\n\r\n", "application/http", "request") +
               warc(http("y")) +
               warc("HTTP/1.1 304 Not Modified\r\n\r\n", "application/http", "revisit")),
      (Terms{"x", "y"}));
}

TEST(WebTerms, OfLongPagesAreDividedAlike) {
  std::string page;
  for (int i = 0; i < 300'000; ++i) page += "w" + std::to_string(i % 1000) + "<br>";
  const Terms terms = terms_of_html(page);
  ASSERT_EQ(terms.size(), 300'000U);
  for (std::size_t i = 0; i < terms.size(); ++i)
    ASSERT_EQ(terms[i], "w" + std::to_string(i % 1000));
}

TEST(WebTerms, OfBadRecordsAreThoseBeforeTheDamage) {
  const std::string good = warc(http("behind"));
  const auto faults = [](const std::string& file, const Terms& terms, const std::string& problem) {
    const FoundTerms found = terms_in(file);
    EXPECT_EQ(found.terms, terms);
    ASSERT_EQ(found.summary.bad_records, 1U);
    EXPECT_NE(found.summary.warnings.front().text.find(": byte 0: " + problem), std::string::npos)
        << found.summary.warnings.front().text;
  };
  std::string page;
  for (int i = 0; i < 3000; ++i) page += "word" + std::to_string(i * i) + " ";
  const std::string packed = test::gzip(page);
  const std::string fields = "Content-Type: text/html\r\nContent-Encoding: ";
  const FoundTerms cut =
      terms_in(warc(http(packed.substr(0, packed.size() / 2), fields + "gzip")) + good);
  EXPECT_GT(cut.terms.size(), 1000U);
  EXPECT_EQ(cut.terms.back(), "behind");
  ASSERT_EQ(cut.summary.bad_records, 1U);
  std::string damaged = packed;
  damaged[packed.size() / 2] = static_cast<char>(~damaged[packed.size() / 2]);
  const FoundTerms wrong = terms_in(warc(http(damaged, fields + "gzip")) + good);
  EXPECT_EQ(wrong.summary.bad_records, 1U);
  EXPECT_EQ(wrong.terms.back(), "behind");
  faults(warc(http(std::string(9, '\x03') + "x", fields + "br")) + good, {"behind"},
         "its Content-Encoding of br is not read");
  faults(warc("HTTP/1.1 200 OK\r\n" + std::string(300'000, 'x')) + good, {"behind"},
         "its HTTP header does not end");
  const std::string chunks = "Content-Type: text/html\r\nTransfer-Encoding: chunked";
  faults(warc(http("2\r\na \r\nno size\r\n0\r\n\r\n", chunks)) + good, {"a", "behind"},
         "its body is chunked, and a chunk in it has no size");
  for (const char* cut_chunks : {"2\r\na \r\n", "2\r\na \r\n9\r\n"})
    faults(warc(http(cut_chunks, chunks)) + good, {"a", "behind"},
           "its body is chunked, and ends before its last chunk does");
  // Of a record whose length is wrong, what stands before the next one is its text.
  std::string longer = warc(http("some words\nand more\n"));
  longer.replace(longer.find("Content-Length: ") + 16, 2, "20");
  faults(longer + good, {"some", "words", "and", "more", "behind"}, "its Content-Length of 20");
}

TEST(WebTerms, OfArcAreThoseOfItsRecords) {
  const auto arc = [](const std::string& content, const std::string& type) {
    return "http://host/ 192.0.2.1 20010203040506 " + type + " " + std::to_string(content.size()) +
           "\n" + content + "\n";
  };
  const std::string legend = "1 0 X\nURL IP-address Archive-date Content-type Archive-length\n\n";
  const std::string file =
      "filedesc://a.arc 0.0.0.0 20010203040506 text/plain " + std::to_string(legend.size()) + "\n" +
      legend + "\n" + arc(http("<b>one</b>", "Server: s"), "image/png") +
      arc("192.0.2.1", "text/dns") + arc("<b>two</b>", "text/html") + arc("three", "text/plain");
  EXPECT_EQ(terms_of(file), (Terms{"one", "two", "three"}));
  EXPECT_EQ(terms_in(file, {.what = Extract::terms, .record_types = {"resource"}}).terms, Terms());
}

TEST(WebTerms, AreCountedByDocumentsThatHaveNames) {
  std::string file = warc(http("a a b")) + warc(http("a"));
  EXPECT_EQ(terms_in(file, {.what = Extract::terms, .once = true}).terms, (Terms{"a", "b", "a"}));
  file +=
      "WARC/0.18\r\nWARC-Type: response\r\nWARC-TREC-ID: clueweb09-1\r\nWARC-Record-ID: "
      "<urn:2>\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
  EXPECT_EQ(terms_in(file, {.what = Extract::docnos}).terms,
            (Terms{"<urn:1>", "<urn:1>", "clueweb09-1"}));
}

}  // namespace
}  // namespace crivo
