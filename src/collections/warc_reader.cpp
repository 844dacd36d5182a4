// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>

#include "collections/formats.hpp"
#include "collections/warc_header.hpp"
#include "collections/web_content.hpp"

namespace crivo::extract {
namespace {

/// Of a content up to so long, all is held until it is known to end where it should.
constexpr std::uint64_t kHeldContent = std::uint64_t{1} << 20;
constexpr std::uint64_t kContentStep = std::uint64_t{128} << 10;
/// Line ends between two records, and the beginning of the next.
constexpr std::size_t kBehindContent = 24;

class WarcReader final : public RecordReader {
 public:
  WarcReader(RecordBytes& bytes, const ExtractOptions& options, FaultLog& faults)
      : bytes_(bytes), options_(options), faults_(faults) {}

  bool next(KeyTaker& keys) override {
    skip_line_ends();
    if (bytes_.at_end()) return false;
    begin_ = bytes_.offset();
    if (bytes_.at_compressed()) return end_at_compressed(bytes_, faults_);
    if (!at_warc_record(bytes_)) {
      faults_.bad_record(begin_, "expected a record, which begins with \"WARC/\" and a version");
      find_record();
      return true;
    }
    begins_stream_ = bytes_.at_stream_start();
    const WarcHeader header = read_warc_header(bytes_);
    if (header.ends && header.problem.empty() && is_taken(header)) take(header, keys);
    const std::optional<std::uint64_t> length = header.length();
    if (!header.ends && bytes_.at_end()) {
      if (bytes_.damage().empty()) faults_.cut_short(begin_, "its header does not end");
    } else if (!header.ends) {
      fail("its header has more than 4 MiB");
    } else if (!header.problem.empty()) {
      fail(header.problem);
    } else if (!length) {
      fail(header.content_length.empty() ? "it has no Content-Length"
                                         : "its Content-Length is not a number of bytes");
    } else {
      pass_content(*length);
    }
    if (has_text_) end_text(keys);
    return true;
  }

 private:
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
      if (!content_) content_.emplace(options_.fold, keys);
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
    const std::string problem = content_->end(is_whole_);
    keys.end_document();
    if (!problem.empty() && is_whole_) faults_.bad_record(begin_, problem);
  }

  /// Moves on over bytes of the content at hand, which are there.
  void pass(std::uint64_t count) {
    if (has_text_) content_->add(bytes_.peek(static_cast<std::size_t>(count)));
    bytes_.skip(count);
  }

  /// Names the record as bad, and goes on with the next line that begins one.
  void fail(const std::string& problem) {
    faults_.bad_record(begin_, problem);
    find_record();
  }

  void skip_line_ends() {
    while (true) {
      const std::string_view some = bytes_.peek(kBehindContent);
      const std::size_t count = std::min(some.find_first_not_of("\r\n"), some.size());
      bytes_.skip(count);
      if (count == 0 || count != some.size()) return;
    }
  }

  /// What stands before the next record belongs to the content at hand.
  void find_record() {
    is_whole_ = false;
    while (!at_warc_record(bytes_)) {
      bool ends = false;
      while (!ends) {
        const std::string_view line = bytes_.peek_line(static_cast<std::size_t>(kContentStep));
        if (line.empty()) return;
        ends = line.ends_with('\n');
        pass(line.size());
      }
    }
  }

  /// What the window has behind a content is the end of a record.
  static bool is_record_end(std::string_view behind) noexcept {
    constexpr std::string_view kNext = "WARC/";
    const std::size_t ends = std::min(behind.find_first_not_of("\r\n"), behind.size());
    behind.remove_prefix(ends);
    return kNext.starts_with(behind.substr(0, kNext.size())) ||
           (ends != 0 && input::begins_compressed(behind));
  }

  /// Moves on to the next record, if the content is as long as the header says, or to that which it
  /// should have ended before.
  void pass_content(std::uint64_t length) {
    is_whole_ = true;
    const std::uint64_t content = bytes_.offset();
    if (length <= kHeldContent) bytes_.peek(static_cast<std::size_t>(length) + kBehindContent);
    for (std::uint64_t left = length; left > kHeldContent;) {
      const std::uint64_t now = std::min(left - kHeldContent, kContentStep);
      if (bytes_.peek(static_cast<std::size_t>(now)).size() < now) break;
      if (ends_at_stream(now, length)) return;
      pass(now);
      left -= now;
    }
    const std::uint64_t left = length - (bytes_.offset() - content);
    const std::string_view rest =
        bytes_.peek(static_cast<std::size_t>(std::min(left, kHeldContent) + kBehindContent));
    if (ends_at_stream(std::min<std::uint64_t>(left, rest.size()), length)) return;
    if (rest.size() < left) {
      end_inside(length);
    } else if (!is_record_end(rest.substr(static_cast<std::size_t>(left)))) {
      fail(length_of(length) + " ends where no record ends");
    } else {
      pass(left);
    }
  }

  static std::string length_of(std::uint64_t length) {
    return "its Content-Length of " + std::to_string(length);
  }

  /// In the next `count` bytes of the content a stream of the compressed file begins, and with it a
  /// record. Streams that do not begin so may be cut anywhere.
  bool ends_at_stream(std::uint64_t count, std::uint64_t length) {
    const std::string_view some = bytes_.peek(static_cast<std::size_t>(count) + kBehindContent);
    const std::uint64_t here = bytes_.offset();
    for (auto start = bytes_.stream_start_behind(here); start && *start - here < count;
         start = bytes_.stream_start_behind(*start)) {
      if (!some.substr(static_cast<std::size_t>(*start - here)).starts_with("WARC/")) continue;
      faults_.bad_record(begin_, length_of(length) + " is longer than its compressed member");
      is_whole_ = false;
      pass(*start - here);
      return true;
    }
    return false;
  }

  /// The file ends inside the content.
  void end_inside(std::uint64_t length) {
    find_record();
    if (!bytes_.damage().empty()) return;  // which is told by who sees the end
    const std::string problem = length_of(length) + " is longer than what is left of the file";
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
  bool has_text_ = false;              ///< the content at hand goes there
  bool is_whole_ = false;              ///< and nothing was wrong with its length
};

}  // namespace

std::unique_ptr<RecordReader> warc_reader(RecordBytes& bytes, const ExtractOptions& options,
                                          FaultLog& faults) {
  return std::make_unique<WarcReader>(bytes, options, faults);
}

bool begins_warc(std::string_view line) noexcept {
  return line.starts_with("WARC/");
}

}  // namespace crivo::extract
