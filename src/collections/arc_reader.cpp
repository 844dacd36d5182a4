// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "base/text.hpp"
#include "collections/formats.hpp"
#include "collections/web_content.hpp"

namespace crivo::extract {
namespace {

constexpr std::uint64_t kArcStep = std::uint64_t{128} << 10;
constexpr std::size_t kMostArcLine = std::size_t{4} << 20;
/// In which the line of a record is to end where a compressed stream begins.
constexpr std::size_t kMostStreamLine = std::size_t{4} << 10;
/// The legend of the first record is looked for in so many bytes.
constexpr std::size_t kMostLegend = std::size_t{64} << 10;

/// URL, address, time, type of content and length are those of version 1. Version 2 has five more,
/// before the length.
constexpr std::size_t kFieldsOfVersion1 = 5;
constexpr std::size_t kFieldsOfVersion2 = 10;
constexpr std::size_t kFieldsBeforeTime = 2;
constexpr std::size_t kFieldsBeforeType = 3;

/// Records of the ARC file format (Burner, Kahle, "Arc File Format", Internet Archive, 1996), of
/// version 1 and 2: a line of fields, which single spaces divide, and as many bytes as its last
/// field says, before which no member of a compressed file may begin with another record. The first
/// of a file, and of each that was joined behind it, is the version block, whose content begins
/// with the version, and with the names of the fields in its second line ("The Version Block", "The
/// URL Record"). Not read: the fields of version 2 between the type and the length (result code,
/// checksum, location, offset, file name), and what the version block has behind the names.
struct ArcLine {
  std::string_view url;
  std::string_view media_type;
  std::uint64_t length = 0;
};

bool is_number(std::string_view text) noexcept {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// The line before a content. Its fields are counted from the right, since URLs may hold spaces.
std::optional<ArcLine> arc_line(std::string_view line, std::size_t fields) noexcept {
  ArcLine found;
  line = base::trimmed(line);
  for (std::size_t field = fields - 1; field != 0; --field) {
    const std::size_t space = line.rfind(' ');
    if (space == line.npos) return std::nullopt;
    const std::string_view text = line.substr(space + 1);
    if (field == fields - 1) {
      const auto [end, error] =
          std::from_chars(text.data(), text.data() + text.size(), found.length);
      if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    }
    if (field == kFieldsBeforeTime && !is_number(text)) return std::nullopt;
    if (field == kFieldsBeforeType) found.media_type = text;
    line = line.substr(0, space);
  }
  found.url = line;
  return found;
}

/// The first bytes of a file's first record.
constexpr std::string_view kArcMagic = "filedesc://";

class ArcReader final : public RecordReader {
 public:
  ArcReader(RecordBytes& bytes, const ExtractOptions& options, FaultLog& faults)
      : bytes_(bytes),
        options_(options),
        takes_responses_(std::ranges::find(options.record_types, "response") !=
                         options.record_types.end()),
        faults_(faults) {}

  bool next(KeyTaker& keys) override {
    while (!bytes_.at_end() && base::trimmed(bytes_.peek(1)).empty()) bytes_.skip(1);
    if (bytes_.at_end()) return false;
    const std::uint64_t begin = bytes_.offset();
    if (bytes_.at_compressed()) return end_at_compressed(bytes_, faults_);
    const std::string_view text = bytes_.peek_line(kMostArcLine);
    if (!text.ends_with('\n') && text.size() < kMostArcLine) {
      if (bytes_.damage().empty()) faults_.cut_short(begin, "the line of a record does not end");
      bytes_.skip(text.size());
      return true;
    }
    const bool is_first = text.starts_with(kArcMagic);
    std::optional<ArcLine> line;
    if (is_first) line = arc_line(text, kFieldsOfVersion2);
    if (!line) line = arc_line(text, is_first ? kFieldsOfVersion1 : fields_);
    if (!line) {
      faults_.bad_record(begin, "expected a record, which begins with a line of " +
                                    std::to_string(fields_) +
                                    " fields, the third a time and the last a length");
      find_record();
      return true;
    }
    const bool is_taken = !is_first && takes_responses_;
    const bool has_text = is_taken && options_.what == Extract::terms;
    if (has_text) {
      if (!content_) content_.emplace(options_, keys);
      content_->begin(WebContent::Form::either, line->media_type, begin);
    } else if (is_taken) {
      keys.take_uri(line->url, begin);
    }
    length_ = line->length;
    begin_ = begin;
    bytes_.skip(text.size());
    if (is_first) read_legend(length_);
    left_ = length_;
    in_content_ = true;
    has_text_ = has_text;
    return go_on(keys);
  }

  bool go_on(KeyTaker& keys) override {
    if (!in_content_) return false;
    bool ends_at_stream = false;
    while (left_ != 0 && !ends_at_stream) {
      if (has_text_ && keys.is_full()) return true;
      const std::uint64_t step = has_text_ ? content_->most_at_once(kArcStep) : kArcStep;
      std::string_view piece = bytes_.peek(static_cast<std::size_t>(std::min(left_, step)));
      if (piece.empty()) break;
      const std::size_t whole = piece.size();
      piece = before_stream(whole);
      ends_at_stream = piece.size() != whole;
      if (has_text_) content_->add(piece);
      left_ -= bytes_.skip(piece.size());
    }
    in_content_ = false;
    if (left_ != 0) name_end_inside(ends_at_stream);
    if (has_text_) {
      const Warning problem = content_->end(left_ == 0);
      keys.end_document();
      if (!problem.text.empty() && left_ == 0)
        faults_.bad_record(begin_, problem.text, problem.remedy);
    }
    return true;
  }

 private:
  /// The next `count` bytes of the content, or those before the stream of the compressed file that
  /// begins in them with a record. Streams that do not begin so may be cut anywhere.
  std::string_view before_stream(std::size_t count) {
    const std::uint64_t here = bytes_.offset();
    const std::string_view some = bytes_.peek(count + kMostStreamLine);
    for (auto start = bytes_.stream_start_behind(here); start && *start - here < count;
         start = bytes_.stream_start_behind(*start)) {
      const auto before = static_cast<std::size_t>(*start - here);
      const std::string_view line = some.substr(before, kMostStreamLine);
      const std::size_t end = line.find('\n');
      if (end != line.npos && arc_line(line.substr(0, end), fields_)) return some.substr(0, before);
    }
    return some.substr(0, count);
  }

  /// Names a content that ends before its end.
  void name_end_inside(bool at_stream) {
    const std::string length = "its length of " + std::to_string(length_) + " is longer than ";
    if (at_stream) {
      faults_.bad_record(begin_, length + "its compressed member");
    } else if (bytes_.damage().empty()) {
      faults_.cut_short(begin_, length + "what is left of the file");
    }
  }

  /// The content of the first record: a line with the version, and one that names the fields.
  void read_legend(std::uint64_t length) {
    const auto held = static_cast<std::size_t>(std::min<std::uint64_t>(length, kMostLegend));
    std::string_view content = bytes_.peek(held);
    const std::string_view version = content.substr(0, content.find_first_of(" \r\n"));
    content.remove_prefix(std::min(content.find('\n') + 1, content.size()));
    const std::string_view names = base::trimmed(content.substr(0, content.find('\n')));
    const auto fields = static_cast<std::size_t>(std::ranges::count(names, ' ')) + 1;
    fields_ = fields == kFieldsOfVersion2 ? kFieldsOfVersion2 : kFieldsOfVersion1;
    if (version != "1" && version != "2") {
      faults_.bad_record(begin_, "the version of the file is not 1 or 2");
    } else if (fields != fields_) {
      faults_.bad_record(
          begin_, "the file names " + std::to_string(fields) + " fields of a record, not 5 or 10");
    }
  }

  void find_record() {
    while (bytes_.skip_line()) {
      if (arc_line(bytes_.peek_line(kMostArcLine), fields_)) return;
    }
  }

  RecordBytes& bytes_;
  const ExtractOptions& options_;
  bool takes_responses_;
  FaultLog& faults_;
  std::size_t fields_ = kFieldsOfVersion1;
  std::optional<WebContent> content_;  ///< made for the first content that has terms
  std::uint64_t begin_ = 0;            ///< of the record at hand
  std::uint64_t length_ = 0;           ///< of its content
  std::uint64_t left_ = 0;             ///< of that, behind the window
  bool in_content_ = false;            ///< it is to go on
  bool has_text_ = false;              ///< whose terms are taken
};

}  // namespace

std::unique_ptr<RecordReader> arc_reader(RecordBytes& bytes, const ExtractOptions& options,
                                         FaultLog& faults) {
  return std::make_unique<ArcReader>(bytes, options, faults);
}

bool begins_arc(std::string_view line) noexcept {
  return line.starts_with(kArcMagic);
}

}  // namespace crivo::extract
