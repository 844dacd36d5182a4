// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bitset>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "collections/formats.hpp"
#include "collections/record_bytes.hpp"
#include "collections/record_reader.hpp"
#include "collections/web_content.hpp"
#include "crivo/build/keys.hpp"

namespace crivo::extract {

/// The fields of a header that are read, their values without white space around them.
struct WarcHeader {
  std::string type;  ///< in lower case
  std::string target_uri;
  std::string content_length;
  std::string content_type;
  std::string record_id;  ///< as it stands, with < and >
  std::string trec_id;    ///< of ClueWeb
  std::string segment_number;
  std::string truncated;  ///< why the content is
  std::string problem;    ///< what is wrong with its lines, or empty
  bool ends = false;      ///< with an empty line, or at the end of the file

  /// The bytes of the content; nothing if the field is no number.
  std::optional<std::uint64_t> length() const noexcept;
};

/// Whether a record begins at the window: "WARC/" and a digit.
bool at_warc_record(RecordBytes& bytes);
/// Reads the header at the window, and moves on to behind its empty line. One of more than 4 MiB
/// does not end.
WarcHeader read_warc_header(RecordBytes& bytes);

namespace {

/// A content up to this long is held until it is known to end where it should.
constexpr std::uint64_t kHeldContent = std::uint64_t{1} << 20;
constexpr std::uint64_t kContentStep = std::uint64_t{128} << 10;
/// Line ends between two records, and the beginning of the next.
constexpr std::size_t kBehindContent = 24;

/// Records of WARC 0.16 to 0.18 (IIPC's drafts), 1.0 (ISO 28500:2009) and 1.1 (ISO 28500:2017): a
/// version line, fields as in RFC 2822, whose continuation lines belong to the field before, an
/// empty line, and Content-Length bytes (4, "File and record model"). Each has WARC-Type and
/// Content-Length, and no field of those that are read twice (5.1). WARC-Target-URI is a URI of RFC
/// 3986 (5.12), in older files between < and >. Of a content that WARC-Truncated says was cut
/// (5.13) the last term is left out, as it may have gone on. Not read: encoded words (RFC 2047) in
/// fields, which stay as they are; what WARC-Block-Digest and WARC-Payload-Digest say; types of
/// records that are not asked for; and segments of a record (7) are not joined: of the first the
/// terms that are whole are taken, and each is a bad record.
class WarcReader final : public RecordReader {
 public:
  WarcReader(RecordBytes& bytes, const ExtractOptions& options, FaultLog& faults)
      : bytes_(bytes), options_(options), faults_(faults) {}

  bool next(KeyTaker& keys) override {
    skip_line_ends();
    if (bytes_.at_end()) return false;
    begin_ = bytes_.offset();
    if (bytes_.at_compressed()) return end_at_compressed(bytes_, faults_);
    ends_inside_ = false;
    if (!at_warc_record(bytes_)) {
      fail("expected a record, which begins with \"WARC/\" and a version");
      return go_on(keys);
    }
    begins_stream_ = bytes_.at_stream_start();
    const WarcHeader header = read_warc_header(bytes_);
    if (header.ends && header.problem.empty() && is_taken(header)) take(header, keys);
    const std::optional<std::uint64_t> length = header.length();
    if (!header.ends && bytes_.at_end()) {
      if (bytes_.damage().empty()) faults_.cut_short(begin_, "its header does not end");
      place_ = Place::end;
    } else if (!header.ends) {
      fail("its header has more than 4 MiB");
    } else if (!header.problem.empty()) {
      fail(header.problem);
    } else if (!length) {
      fail(header.content_length.empty() ? "it has no Content-Length"
                                         : "its Content-Length is not a number of bytes");
    } else {
      is_whole_ = true;
      length_ = left_ = *length;
      place_ = Place::content;
    }
    return go_on(keys);
  }

  bool go_on(KeyTaker& keys) override {
    if (place_ == Place::nothing) return false;
    while (pass_text(keys)) {
      if (place_ == Place::content) {
        pass_content();
      } else if (place_ == Place::search) {
        find_record();
      } else {
        if (ends_inside_) name_end_inside();
        if (has_text_) end_text(keys);
        place_ = Place::nothing;
        return true;
      }
    }
    return true;
  }

 private:
  /// The part of the record at hand that comes next.
  enum class Place { nothing, content, search, end };

  bool is_taken(const WarcHeader& header) const {
    return std::ranges::find(options_.record_types, header.type) != options_.record_types.end();
  }

  /// Takes what the header tells; of terms, readies for the content.
  void take(const WarcHeader& header, KeyTaker& keys) {
    if (options_.what == Extract::urls) {
      keys.take_uri(header.target_uri, begin_);
    } else if (options_.what == Extract::docnos) {
      keys.take(header.trec_id.empty() ? header.record_id : header.trec_id, begin_);
    } else {
      const bool is_segment = !header.segment_number.empty();
      if (is_segment)
        faults_.bad_record(begin_, "it is a segment of a record, which are not joined");
      if (header.type == "continuation") return;
      if (!content_) content_.emplace(options_, keys);
      has_text_ = true;
      goes_on_ = is_segment || !header.truncated.empty();
      const bool is_message = folded_field(header.content_type).starts_with("application/http");
      const auto form = is_message                    ? WebContent::Form::message
                        : header.content_type.empty() ? WebContent::Form::either
                                                      : WebContent::Form::document;
      content_->begin(form, header.content_type, begin_);
    }
  }

  void end_text(KeyTaker& keys) {
    has_text_ = false;
    const bool is_whole = is_whole_ && !goes_on_;
    const Warning problem = content_->end(is_whole);
    keys.end_document();
    if (!problem.text.empty() && is_whole) faults_.bad_record(begin_, problem.text, problem.remedy);
  }

  /// Moves on over bytes of the content at hand, which are there: those of a text in pass_text().
  void pass(std::uint64_t count) {
    if (has_text_) {
      to_pass_ = count;
    } else {
      bytes_.skip(count);
    }
  }

  /// Hands over the text that is to be passed; returns whether there is no more of it.
  bool pass_text(const KeyTaker& keys) {
    while (to_pass_ != 0) {
      if (keys.is_full()) return false;
      const std::uint64_t step = std::min(to_pass_, content_->most_at_once(kContentStep));
      content_->add(bytes_.peek(static_cast<std::size_t>(step)));
      to_pass_ -= bytes_.skip(step);
    }
    return true;
  }

  /// Names the record as bad, and goes on with the next line that begins one.
  void fail(const std::string& problem) {
    faults_.bad_record(begin_, problem);
    search();
  }

  void search() {
    is_whole_ = false;
    in_line_ = false;
    place_ = Place::search;
  }

  void skip_line_ends() {
    while (true) {
      const std::string_view some = bytes_.peek(kBehindContent);
      const std::size_t count = std::min(some.find_first_not_of("\r\n"), some.size());
      bytes_.skip(count);
      if (count == 0 || count != some.size()) return;
    }
  }

  /// Moves on by a line, unless it begins a record, or by a piece of one. What stands before the
  /// next record belongs to the content at hand.
  void find_record() {
    const std::string_view line = bytes_.peek_line(static_cast<std::size_t>(kContentStep));
    if (line.empty() || (!in_line_ && at_warc_record(bytes_))) {
      place_ = Place::end;
      return;
    }
    in_line_ = !line.ends_with('\n');
    pass(line.size());
  }

  /// Whether the window's text behind a content is the end of a record.
  static bool is_record_end(std::string_view behind) noexcept {
    constexpr std::string_view kNext = "WARC/";
    const std::size_t ends = std::min(behind.find_first_not_of("\r\n"), behind.size());
    behind.remove_prefix(ends);
    return kNext.starts_with(behind.substr(0, kNext.size())) ||
           (ends != 0 && input::begins_compressed(behind));
  }

  /// Moves on by a step, or to the end of the record, if the content is as long as the header says,
  /// or to that which it should have ended before.
  void pass_content() {
    if (left_ > kHeldContent) {
      const std::uint64_t now = std::min(left_ - kHeldContent, kContentStep);
      if (bytes_.peek(static_cast<std::size_t>(now)).size() == now) {
        if (ends_at_stream(now)) return;
        left_ -= now;
        pass(now);
        return;
      }
    }
    const std::string_view rest =
        bytes_.peek(static_cast<std::size_t>(std::min(left_, kHeldContent) + kBehindContent));
    if (ends_at_stream(std::min<std::uint64_t>(left_, rest.size()))) return;
    if (rest.size() < left_) {
      ends_inside_ = true;
      search();
    } else if (!is_record_end(rest.substr(static_cast<std::size_t>(left_)))) {
      fail(length_text() + " ends where no record ends");
    } else {
      place_ = Place::end;
      pass(left_);
    }
  }

  std::string length_text() const { return "its Content-Length of " + std::to_string(length_); }

  /// In the next `count` bytes of the content a stream of the compressed file begins, and with it a
  /// record. Streams that do not begin so may be cut anywhere.
  bool ends_at_stream(std::uint64_t count) {
    const std::string_view some = bytes_.peek(static_cast<std::size_t>(count) + kBehindContent);
    const std::uint64_t here = bytes_.offset();
    for (auto start = bytes_.stream_start_behind(here); start && *start - here < count;
         start = bytes_.stream_start_behind(*start)) {
      if (!some.substr(static_cast<std::size_t>(*start - here)).starts_with("WARC/")) continue;
      faults_.bad_record(begin_, length_text() + " is longer than its compressed member");
      is_whole_ = false;
      place_ = Place::end;
      pass(*start - here);
      return true;
    }
    return false;
  }

  /// Names a content that the file, or the next record, ends.
  void name_end_inside() {
    if (!bytes_.damage().empty()) return;  // which is told by who sees the end
    const std::string problem = length_text() + " is longer than what is left of the file";
    if (!bytes_.at_end() || begins_stream_) {
      faults_.bad_record(begin_, problem);
    } else {
      faults_.cut_short(begin_, problem);
    }
  }

  RecordBytes& bytes_;
  const ExtractOptions& options_;
  FaultLog& faults_;
  std::uint64_t begin_ = 0;            ///< of the record at hand
  bool begins_stream_ = false;         ///< of the compressed file
  std::optional<WebContent> content_;  ///< made for the first content that has terms
  Place place_ = Place::nothing;
  std::uint64_t length_ = 0;   ///< of the content at hand
  std::uint64_t left_ = 0;     ///< of that, which is not passed
  std::uint64_t to_pass_ = 0;  ///< of the text, at the window
  bool in_line_ = false;       ///< of what is searched for a record
  bool ends_inside_ = false;   ///< the content, before its length
  bool has_text_ = false;      ///< the content at hand goes there
  bool goes_on_ = false;       ///< and its text did where it was archived from
  bool is_whole_ = false;      ///< and nothing was wrong with its length
};

}  // namespace

std::unique_ptr<RecordReader> warc_reader(RecordBytes& bytes, const ExtractOptions& options,
                                          FaultLog& faults) {
  return std::make_unique<WarcReader>(bytes, options, faults);
}

bool begins_warc(std::string_view line) noexcept {
  return line.starts_with("WARC/");
}

namespace {

constexpr std::uint64_t kMostHeaderBytes = std::uint64_t{4} << 20;
constexpr std::size_t kMostHeaderLine = kMaxKeyBytes + 1024;
constexpr std::size_t kMostVersionLine = 64;

struct WarcField {
  std::string_view name;
  std::string WarcHeader::*member;
};

constexpr WarcField kWarcFields[] = {
    {"warc-type", &WarcHeader::type},
    {"warc-target-uri", &WarcHeader::target_uri},
    {"content-length", &WarcHeader::content_length},
    {"content-type", &WarcHeader::content_type},
    {"warc-record-id", &WarcHeader::record_id},
    {"warc-trec-id", &WarcHeader::trec_id},
    {"warc-segment-number", &WarcHeader::segment_number},
    {"warc-truncated", &WarcHeader::truncated},
};

bool is_version_read(std::string_view line) noexcept {
  constexpr std::string_view kRead[] = {"WARC/0.16", "WARC/0.17", "WARC/0.18", "WARC/1.0",
                                        "WARC/1.1"};
  return std::ranges::find(kRead, base::trimmed(line)) != std::end(kRead);
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
  const auto name_problem = [&header](std::string problem) {
    if (header.problem.empty()) header.problem = std::move(problem);
  };
  if (!is_version_read(bytes.peek_line(kMostVersionLine)))
    name_problem("its version is not one of 0.16 to 0.18, 1.0 and 1.1");
  bytes.skip_line();
  std::string* member = nullptr;  // of the field at hand
  std::bitset<std::size(kWarcFields)> seen;
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
      if (member != nullptr) *member += (member->empty() ? "" : " ") + std::string(text);
    } else if (colon == line.npos) {
      name_problem("a line of the header has no colon");
      member = nullptr;
    } else {
      const std::string name = folded_field(line.substr(0, colon));
      const auto* const field = std::ranges::find(kWarcFields, name, &WarcField::name);
      member = field == std::end(kWarcFields) ? nullptr : &(header.*field->member);
      if (member != nullptr) {
        const auto number = static_cast<std::size_t>(field - std::begin(kWarcFields));
        if (seen[number]) name_problem("its header has " + name + " twice");
        seen.set(number);
        *member = base::trimmed(line.substr(colon + 1));
      }
    }
    const bool whole = line.size() < kMostHeaderLine;
    if (whole) {
      bytes.skip(line.size());
    } else {
      bytes.skip_line();
      name_problem("a line of the header is too long");
    }
  }
  if (header.ends && header.type.empty()) name_problem("it has no WARC-Type");
  header.type = folded_field(header.type);
  return header;
}

}  // namespace crivo::extract
