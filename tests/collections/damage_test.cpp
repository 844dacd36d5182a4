// SPDX-License-Identifier: Apache-2.0
// Whatever the bytes of a collection are, it is read to its end, and what came before the damage is
// counted.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include "base/bytes.hpp"
#include "crivo/build/extract.hpp"
#include "crivo/build/keys.hpp"
#include "support/compressed.hpp"
#include "support/temp_directory.hpp"

namespace crivo {
namespace {

constexpr int kRecords = 8;

std::string warc_file() {
  std::string file;
  for (int i = 0; i < kRecords; ++i) {
    const std::string content(static_cast<std::size_t>(20 * i), 'c');
    file += "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://host/" + std::to_string(i) +
            "\r\nContent-Length: " + std::to_string(content.size()) + "\r\n\r\n" + content +
            "\r\n\r\n";
  }
  return file;
}

std::string arc_file() {
  const std::string legend =
      "1 0 Someone\nURL IP-address Archive-date Content-type Archive-length\n\n";
  std::string file = "filedesc://a.arc 0.0.0.0 20010203040506 text/plain " +
                     std::to_string(legend.size()) + "\n" + legend + "\n";
  for (int i = 0; i < kRecords; ++i) {
    const std::string content(static_cast<std::size_t>(20 * i), 'c');
    file += "http://host/" + std::to_string(i) + " 192.0.2.1 20010203040506 text/html " +
            std::to_string(content.size()) + "\n" + content + "\n";
  }
  return file;
}

std::string cdx_file() {
  std::string file = " CDX N b a\n";
  for (int i = 0; i < kRecords; ++i) {
    const std::string url = "http://host/" + std::to_string(i);
    file += i % 2 == 0 ? "host)/ 20010203040506 " + url + "\n"
                       : "host)/ 20010203040506 {\"url\": \"" + url + "\"}\n";
  }
  return file;
}

std::string one_chunk(const std::string& bytes) {
  std::ostringstream size;
  size << std::hex << bytes.size();
  return size.str() + "\r\n" + bytes + "\r\n";
}

/// Pages of one word each, as servers send them.
std::string page_file(bool is_arc) {
  std::string file = is_arc ? arc_file().substr(0, arc_file().find("http://")) : std::string();
  for (int i = 0; i < kRecords; ++i) {
    const std::string page = "<p title='a > b'>w&ouml;rd" + std::to_string(i) + "<!-- x --></p>";
    const bool is_packed = i % 3 == 1;
    const std::string body = is_packed ? test::gzip(page) : page;
    const std::string content = std::string("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n") +
                                (is_packed ? "Content-Encoding: gzip\r\n" : "") +
                                (i % 3 == 2 ? "Transfer-Encoding: chunked\r\n\r\n1\r\n<\r\n" +
                                                  one_chunk(body.substr(1)) + "0\r\n\r\n"
                                            : "\r\n" + body);
    const std::string length = std::to_string(content.size());
    file +=
        is_arc ? "http://host/ 192.0.2.1 20010203040506 text/html " + length + "\n" + content + "\n"
               : "WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http\r\n"
                 "Content-Length: " +
                     length + "\r\n\r\n" + content + "\r\n\r\n";
  }
  return file;
}

std::string json_file() {
  std::string file;
  for (int i = 0; i < kRecords; ++i)
    file += R"({"k": "w\u00f6rd)" + std::to_string(i) + R"(", "other": [1, {"k": 2}]})" + "\n";
  return file;
}

std::string csv_file() {
  std::string file;
  for (int i = 0; i < kRecords; ++i)
    file += std::to_string(i) + ",\"word " + std::to_string(i) + "\",\"a \"\"b\"\" c\"\n";
  return file;
}

/// Each record of WARC a compressed stream.
std::string packed_file(std::string (*pack)(std::string_view)) {
  const std::string whole = warc_file();
  std::string file;
  for (std::size_t at = 0; at != whole.size();) {
    const std::size_t end = std::min(whole.find("WARC/", at + 1), whole.size());
    file += pack(std::string_view(whole).substr(at, end - at));
    at = end;
  }
  return file;
}

std::string of_records(const std::string& before, const std::string& name,
                       const std::string& behind) {
  std::string file;
  for (int i = 0; i < kRecords; ++i)
    file += before + name + std::to_string(i) + behind + std::string(30, ' ') + "\n";
  return file;
}

std::string fastq_file() {
  std::string file;
  for (int i = 0; i < kRecords; ++i) {
    std::string bases;
    for (int base = 0; base < 31; ++base) bases += "ACGT"[(i * 7 + base * base) % 4];
    file += "@read\n" + bases + "\n+\n" + std::string(31, 'I') + "\n";
  }
  return file;
}

std::string fasta_file() {
  std::string file;
  for (int i = 0; i < kRecords; ++i) {
    std::string bases;
    for (int base = 0; base < 31; ++base) bases += "ACGT"[(i * 5 + base * base * base) % 4];
    file += ">sequence\n" + bases + "\n";
  }
  return file;
}

struct Found {
  std::vector<std::string> keys;
  ExtractSummary summary;
};

struct Sample {
  std::string name;
  Extract what;
  Collection from;
  std::string file;
  std::string separator;  ///< that each record begins with
  KeyFormat format{};     ///< of lines
};

Found found_in(const test::TempDirectory& directory, std::string_view bytes, Extract what,
               Collection from, const KeyFormat& format = {}) {
  const std::filesystem::path path = directory.path() / "file";
  std::ofstream(path, std::ios::binary) << bytes;
  Found found;
  const ExtractOptions options{.what = what, .from = from, .format = format};
  Progress progress;
  read_keys(extracted_keys({path.string()}, options, found.summary), progress,
            [&](const KeyBlock& block) {
              found.keys.insert(found.keys.end(), block.keys.begin(), block.keys.end());
            });
  return found;
}

/// A change of `whole` at byte `at`.
std::string damaged(const std::string& whole, std::size_t at, std::mt19937& random) {
  std::string bytes = whole;
  switch (random() % 4) {
    case 0:
      bytes[at] = static_cast<char>(random());
      break;
    case 1:
      bytes.resize(at);
      break;
    case 2:
      bytes.erase(at, random() % 64);
      break;
    default:
      bytes.insert(at, whole.substr(random() % whole.size(), random() % 64));
  }
  return bytes;
}

/// The records of `whole` that end well before what `other` has changed.
std::string_view records_before(const Sample& sample, std::string_view other) {
  constexpr std::size_t kMargin = 200;
  const std::string& whole = sample.file;
  std::size_t equal = 0;
  while (equal < std::min(whole.size(), other.size()) && whole[equal] == other[equal]) ++equal;
  if (equal <= kMargin) return {};
  const std::size_t end = whole.rfind(sample.separator, equal - kMargin);
  return std::string_view(whole).substr(0, end == whole.npos ? 0 : end);
}

class Damaged : public testing::TestWithParam<Sample> {};

TEST_P(Damaged, IsReadToItsEnd) {
  const auto& [name, what, from, whole, separator, format] = GetParam();
  const test::TempDirectory directory;
  const Found sound = found_in(directory, whole, what, from, format);
  ASSERT_EQ(sound.keys.size(), kRecords);
  ASSERT_EQ(sound.summary.bad_records + sound.summary.cut_files, 0U);
  std::mt19937 random(7);
  const int damages = std::getenv("CRIVO_LONG") != nullptr ? 10'000 : 200;
  for (int i = 0; i < damages; ++i) {
    const std::string bytes = damaged(whole, random() % whole.size(), random);
    const Found found = found_in(directory, bytes, what, from, format);
    const Found before = found_in(directory, records_before(GetParam(), bytes), what, from, format);
    ASSERT_GE(found.keys.size(), before.keys.size());
    for (std::size_t k = 0; k < before.keys.size(); ++k) ASSERT_EQ(found.keys[k], before.keys[k]);
    ASSERT_EQ(found.summary.keys, found.keys.size());
    ASSERT_LE(found.keys.size(), whole.size() + 64);
  }
}

/// Wherever a file ends, its keys are some of those of the whole, and unless it ends between two
/// records, that is said. (A line, or a sequence of bases, may end anywhere, and a plain text
/// behind its docno.)
TEST_P(Damaged, EveryCutGivesWholeKeys) {
  const auto& [name, what, from, whole, separator, format] = GetParam();
  const bool may_end_anywhere = from == Collection::lines || from == Collection::fasta ||
                                (from == Collection::plaintext && what == Extract::terms);
  if (may_end_anywhere) return;
  const test::TempDirectory directory;
  const Found sound = found_in(directory, whole, what, from, format);
  const std::size_t step = std::getenv("CRIVO_LONG") != nullptr ? 1 : 7;
  for (std::size_t end = 0; end < whole.size(); end += step) {
    const Found found = found_in(directory, whole.substr(0, end), what, from, format);
    ASSERT_LE(found.keys.size(), sound.keys.size());
    for (std::size_t k = 0; k < found.keys.size(); ++k) ASSERT_EQ(found.keys[k], sound.keys[k]);
    const bool is_behind_all = whole.substr(end).find_first_not_of("\r\n ") == whole.npos;
    if (found.keys.size() == sound.keys.size() || is_behind_all) continue;
    const std::string next = whole.substr(end);
    const bool is_between = next.starts_with(separator) ||
                            next.substr(next.find_first_not_of("\r\n ")).starts_with(separator);
    if (!is_between && end > 80 && from != Collection::plaintext) {
      ASSERT_NE(found.summary.bad_records + found.summary.cut_files, 0U) << "cut at " << end;
    }
  }
}

/// Offsets stand before payloads, so that what is there before the damage is no beginning.
TEST(DamagedPayloads, AreReadToTheirEnd) {
  std::string whole(8 * (kRecords + 2), '\0');
  base::store_le<std::uint64_t>(whole.data(), kRecords);
  const std::size_t offsets = whole.size();
  for (std::size_t i = 0; i < std::size_t{kRecords}; ++i) {
    whole += "payload-" + std::to_string(i);
    base::store_le<std::uint64_t>(whole.data() + 8 * (i + 2), whole.size() - offsets);
  }
  const test::TempDirectory directory;
  const Found sound = found_in(directory, whole, Extract::docnos, Collection::pisa);
  ASSERT_EQ(sound.keys.size(), kRecords);
  std::mt19937 random(7);
  const int damages = std::getenv("CRIVO_LONG") != nullptr ? 10'000 : 200;
  for (int i = 0; i < damages; ++i) {
    const std::size_t at = random() % whole.size();
    const std::string bytes = damaged(whole, at, random);
    const Found found = found_in(directory, bytes, Extract::docnos, Collection::pisa);
    ASSERT_EQ(found.summary.keys, found.keys.size());
    ASSERT_LE(found.keys.size(), bytes.size() / 8);
    for (std::size_t k = 0; at >= offsets && k < found.keys.size(); ++k) {
      if (base::load_le<std::uint64_t>(whole.data() + 8 * (k + 2)) > at - offsets) break;
      ASSERT_EQ(found.keys[k], sound.keys[k]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Collections, Damaged,
    testing::Values(
        Sample{"Warc", Extract::urls, Collection::warc, warc_file(), "WARC/"},
        Sample{"Arc", Extract::urls, Collection::arc, arc_file(), "http://"},
        Sample{"Cdx", Extract::urls, Collection::cdx, cdx_file(), "host)/"},
        Sample{"Lines", Extract::lines, Collection::lines, of_records("key ", "", ""), "key"},
        Sample{"Plaintext", Extract::docnos, Collection::plaintext,
               of_records("docno-", "", " text"), "docno"},
        Sample{"Trec", Extract::docnos, Collection::trec,
               of_records("<DOC>\n<DOCNO>", "A-", "</DOCNO>\n<b>text</b>\n</DOC>\n"), "<DOC>"},
        Sample{"TrecTerms", Extract::terms, Collection::trec,
               of_records("<DOC>\n<DOCNO>", "A-", "</DOCNO>\n<b>text</b>\n</DOC>\n"), "<DOC>"},
        Sample{"WarcPages", Extract::terms, Collection::warc, page_file(false), "WARC/"},
        Sample{"ArcPages", Extract::terms, Collection::arc, page_file(true), "http://"},
        Sample{"PlaintextTerms", Extract::terms, Collection::plaintext,
               of_records("docno ", "word", ""), "docno"},
        Sample{"JsonLines",
               Extract::lines,
               Collection::lines,
               json_file(),
               "{\"k\"",
               {.json_key = "k"}},
        Sample{"Csv",
               Extract::lines,
               Collection::lines,
               csv_file(),
               "\n",
               {.key_column = 2, .column_delimiter = ',', .quotes = true}},
        Sample{"WarcOfGzip", Extract::urls, Collection::warc,
               packed_file([](std::string_view text) { return test::gzip(text); }), "\x1f\x8b\x08"},
        Sample{"WarcOfZstd", Extract::urls, Collection::warc, packed_file(test::zstd),
               "\x28\xb5\x2f\xfd"},
        Sample{"Fasta", Extract::kmers, Collection::fasta, fasta_file(), ">"},
        Sample{"Fastq", Extract::kmers, Collection::fastq, fastq_file(), "@"}),
    [](const testing::TestParamInfo<Sample>& sample) { return sample.param.name; });

}  // namespace
}  // namespace crivo
