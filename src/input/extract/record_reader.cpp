// SPDX-License-Identifier: Apache-2.0
#include "input/extract/record_reader.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "crivo/build/extract.hpp"

namespace crivo::extract {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n";

/// Fields of a line that single spaces divide, at most four.
struct FirstFields {
  explicit FirstFields(std::string_view line) {
    while (count < 4) {
      const std::size_t end = line.find(' ');
      text[count++] = line.substr(0, end);
      if (end == line.npos) return;
      line.remove_prefix(end + 1);
    }
  }
  std::string_view text[4];
  std::size_t count = 0;
};

bool is_cdx_line(std::string_view line) noexcept {
  const FirstFields fields(line);
  const std::string_view time = fields.text[1];
  const bool has_time =
      time.size() >= 12 && time.size() <= 17 && time.find_first_not_of("0123456789") == time.npos;
  return has_time && (fields.text[2].starts_with('{') || fields.count == 4);
}

bool is_url(std::string_view text) noexcept {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  constexpr std::string_view kScheme =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-";
  constexpr std::string_view kWithoutHost[] = {"dns", "urn", "mailto", "metadata"};
  const std::size_t colon = text.find_first_not_of(kScheme);
  if (colon == text.npos || colon == 0 || text[colon] != ':' ||
      kLetters.find(text[0]) == kLetters.npos)
    return false;
  const std::string_view rest = text.substr(colon + 1);
  const bool is_spaced =
      std::ranges::any_of(rest, [](char c) { return static_cast<unsigned char>(c) <= ' '; });
  const bool has_host = rest.starts_with("//") && rest.size() > 2;
  const bool is_known =
      std::ranges::find(kWithoutHost, text.substr(0, colon)) != std::end(kWithoutHost);
  return !is_spaced && (has_host || (is_known && !rest.empty()));
}

}  // namespace

std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t begin = std::min(text.find_first_not_of(kWhiteSpace), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(kWhiteSpace) + 1);
}

void KeyTaker::take(std::string_view key, std::uint64_t offset) {
  if (key.empty() && !options_.format.allow_empty) {
    faults_.bad_record(offset, "the key is empty");
  } else if (key.size() > options_.format.max_key_bytes) {
    refuse_long(offset);
  } else {
    writer_->key(key);
    handed_over_ += sizeof(std::uint32_t) + key.size();
    ++summary_.keys;
  }
}

void KeyTaker::refuse_long(std::uint64_t offset) {
  const std::uint64_t most = options_.format.max_key_bytes;
  faults_.bad_record(offset, "the key has more than " + std::to_string(most) + " bytes",
                     most < kMaxKeyBytes ? "max_key_bytes" : "");
}

void KeyTaker::take_url(std::string_view url, std::uint64_t offset) {
  // Neither form is shorter by more than a scheme, a port and what stands around a URL.
  constexpr std::size_t kLeftOut = 4096;
  if (url.size() > options_.format.max_key_bytes + kLeftOut) return refuse_long(offset);
  const std::string plain = keys::url(url);
  if (options_.surt) {
    take(keys::surt(plain), offset);
  } else {
    take(plain, offset);
  }
}

void KeyTaker::take_url_line(std::string_view line, std::uint64_t offset) {
  std::string_view text = trimmed(line);
  if (text.starts_with('<') && text.ends_with('>')) text = trimmed(text.substr(1, text.size() - 2));
  if (text.empty() || is_url(text)) return take_url(text, offset);
  faults_.bad_record(offset,
                     "the line is not a URL, which has a scheme such as https:// and no space");
}

void KeyTaker::take_term(std::string_view term, std::uint64_t offset) {
  constexpr std::size_t kLast = std::size_t{1} << 16;
  constexpr std::size_t kShort = 15;  // what a std::string holds in itself
  if (options_.once) {
    if (is_too_long_) return;
    const auto seen = seen_.add(term);
    if (seen == SeenTerms::Add::full) {
      is_too_long_ = true;
      faults_.bad_record(offset,
                         "the document has more than " + std::to_string(SeenTerms::kMostTerms) +
                             " distinct terms, or 8 MiB of them, which are not counted once");
    }
    if (seen != SeenTerms::Add::added) return;
  } else if (options_.distinct && term.size() <= kShort) {
    if (last_.empty()) last_.resize(kLast);
    std::string& last = last_[std::hash<std::string_view>()(term) % kLast];
    if (last == term) {
      ++summary_.keys;
      return;
    }
    last = term;
  }
  take(term, offset);
}

bool end_at_compressed(RecordBytes& bytes, FaultLog& faults) {
  faults.cut_short(bytes.offset(),
                   "compressed data begin behind plain ones, and are not read; decompress them, or "
                   "make them a file of their own");
  return false;
}

Collection detect_collection(RecordBytes& bytes, Extract what) {
  constexpr std::size_t kSeen = std::size_t{16} << 10;
  std::string_view line = bytes.peek(kSeen);
  line.remove_prefix(std::min(line.find_first_not_of(kWhiteSpace), line.size()));
  line = trimmed(line.substr(0, line.find('\n')));
  if (what == Extract::kmers) return line.starts_with('@') ? Collection::fastq : Collection::fasta;
  if (what == Extract::lines) return Collection::lines;
  if (line.starts_with("WARC/")) return Collection::warc;
  if (line.starts_with(kArcMagic) && what != Extract::docnos) return Collection::arc;
  if (what == Extract::terms || what == Extract::docnos)
    return line.starts_with("<DOC>") || line.starts_with("<DOC ") ? Collection::trec
                                                                  : Collection::lines;
  if (line.starts_with("CDX ") || line.starts_with("CDX\t") ||
      line.starts_with("!OpenWayback-CDXJ") || is_cdx_line(line))
    return Collection::cdx;
  return Collection::lines;
}

}  // namespace crivo::extract
