// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "collections/formats.hpp"
#include "collections/record_bytes.hpp"
#include "collections/record_reader.hpp"
#include "collections/web_content.hpp"
#include "crivo/build/keys.hpp"

namespace crivo::extract {

/// What is read of it: of each field its last value, without white space around it.
struct WarcHeader {
  std::string type;  ///< in lower case
  std::string target_uri;
  std::string content_length;
  std::string content_type;
  std::string record_id;  ///< as it stands, with < and >
  std::string trec_id;    ///< of ClueWeb
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

/// Records of WARC 0.18, 1.0 (ISO 28500:2009) and 1.1 (ISO 28500:2017): a version line, fields as
/// in RFC 2822, whose continuation lines belong to the field before, an empty line, and
/// Content-Length bytes. Not read: encoded words (RFC 2047) in fields, which stay as they are; what
/// WARC-Block-Digest and WARC-Payload-Digest say; and records
/// that are parts of one (WARC-Segment-Number) are not joined, but have each the text that stands
/// in them.
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
  /// What comes next of the record at hand.
  enum class Place { nothing, content, search, end };

  bool is_taken(const WarcHeader& header) const {
    return std::ranges::find(options_.record_types, header.type) != options_.record_types.end();
  }

  /// Takes what the header tells; of terms, readies for the content.
  void take(const WarcHeader& header, KeyTaker& keys) {
    if (options_.what == Extract::urls) {
      keys.take_url(header.target_uri, begin_);
    } else if (options_.what == Extract::docnos) {
      keys.take(header.trec_id.empty() ? header.record_id : header.trec_id, begin_);
    } else {
      if (!content_) content_.emplace(options_, keys);
      has_text_ = true;
      const bool is_message = header.content_type.starts_with("application/http");
      const auto form = is_message                    ? WebContent::Form::message
                        : header.content_type.empty() ? WebContent::Form::either
                                                      : WebContent::Form::document;
      content_->begin(form, header.content_type, begin_);
    }
  }

  void end_text(KeyTaker& keys) {
    has_text_ = false;
    const Warning problem = content_->end(is_whole_);
    keys.end_document();
    if (!problem.text.empty() && is_whole_)
      faults_.bad_record(begin_, problem.text, problem.remedy);
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

  /// What the window has behind a content is the end of a record.
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
