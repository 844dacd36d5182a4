// SPDX-License-Identifier: Apache-2.0
#include "collections/warc_header.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/trimmed.hpp"
#include "collections/record_reader.hpp"
#include "crivo/build/keys.hpp"

namespace crivo::extract {
namespace {

constexpr std::uint64_t kMostHeaderBytes = std::uint64_t{4} << 20;
constexpr std::size_t kMostHeaderLine = kMaxKeyBytes + 1024;

char folded(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

bool is_same_name(std::string_view name, std::string_view lower) noexcept {
  return std::ranges::equal(name, lower, {}, folded);
}

/// The member that a field is kept in; null for the others.
std::string* member_of(WarcHeader& header, std::string_view name) noexcept {
  if (is_same_name(name, "warc-type")) return &header.type;
  if (is_same_name(name, "warc-target-uri")) return &header.target_uri;
  if (is_same_name(name, "content-length")) return &header.content_length;
  if (is_same_name(name, "content-type")) return &header.content_type;
  if (is_same_name(name, "warc-record-id")) return &header.record_id;
  if (is_same_name(name, "warc-trec-id")) return &header.trec_id;
  return nullptr;
}

}  // namespace

std::optional<std::uint64_t> WarcHeader::length() const noexcept {
  std::uint64_t value = 0;
  const char* const end = content_length.data() + content_length.size();
  const auto [behind, error] = std::from_chars(content_length.data(), end, value);
  if (error != std::errc() || behind != end) return std::nullopt;
  return value;
}

bool at_warc_record(RecordBytes& bytes) {
  constexpr std::string_view kMagic = "WARC/";
  const std::string_view text = bytes.peek(kMagic.size() + 1);
  return text.starts_with(kMagic) && text.back() >= '0' && text.back() <= '9';
}

WarcHeader read_warc_header(RecordBytes& bytes) {
  WarcHeader header;
  const std::uint64_t begin = bytes.offset();
  bytes.skip_line();
  std::string* member = nullptr;  // of the field at hand
  while (bytes.offset() - begin < kMostHeaderBytes) {
    const std::string_view line = bytes.peek_line(kMostHeaderLine);
    const std::string_view text = base::trimmed(line);
    if (!line.ends_with('\n') && line.size() < kMostHeaderLine) {  // the file ends
      bytes.skip(line.size());
      break;
    }
    if (text.empty()) {
      header.ends = true;
      bytes.skip(line.size());
      break;
    }
    const std::size_t colon = line.find(':');
    if (line.front() == ' ' || line.front() == '\t') {  // goes on with the field
      if (member != nullptr) *member += text;
    } else if (colon == line.npos) {
      if (header.problem.empty()) header.problem = "a line of the header has no colon";
      member = nullptr;
    } else {
      member = member_of(header, base::trimmed(line.substr(0, colon)));
      if (member != nullptr) *member = base::trimmed(line.substr(colon + 1));
    }
    const bool whole = line.size() < kMostHeaderLine;
    if (whole) {
      bytes.skip(line.size());
    } else {
      bytes.skip_line();
      header.problem = "a line of the header is too long";
    }
  }
  std::ranges::transform(header.type, header.type.begin(), folded);
  return header;
}

}  // namespace crivo::extract
