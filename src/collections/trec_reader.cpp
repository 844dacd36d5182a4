// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>

#include "base/text.hpp"
#include "collections/formats.hpp"
#include "collections/markup.hpp"
#include "crivo/build/key_form.hpp"
#include "crivo/build/keys.hpp"

namespace crivo::extract {
namespace {

/// A line that is longer is taken in pieces.
constexpr std::size_t kLinePiece = std::size_t{1} << 20;

// Documents of the TREC collections, whose tags are in capitals, each at the beginning of a line:
// <DOC> with <DOCNO>, and of TREC web <DOCHDR>. It has no specification beside the README of each
// collection. Not read: tags in small letters, which SGML (ISO 8879, NAMECASE GENERAL YES) has for
// the same, but which pages have of their own: a file that begins so is named; entities of a DTD of
// its own; a document within another, which is named; and <DOCHDR>.
constexpr std::string_view kDoc = "<DOC";  // then ">", or attributes of which id may be the docno
constexpr std::string_view kDocEnd = "</DOC>";
constexpr std::string_view kDocno = "<DOCNO>";
constexpr std::string_view kDocnoEnd = "</DOCNO>";
constexpr std::string_view kHeader = "<DOCHDR>";  // of TREC web: what the server sent
constexpr std::string_view kHeaderEnd = "</DOCHDR>";

/// Whether a document begins at the beginning of `line`.
bool begins_document(std::string_view line) noexcept {
  if (!line.starts_with(kDoc) || line.size() == kDoc.size()) return false;
  const char behind = line[kDoc.size()];
  return behind == '>' || behind == ' ' || behind == '\t';
}

/// The value of an attribute id, with or without quotes; empty where there is none.
std::string_view id_of(std::string_view attributes) noexcept {
  constexpr std::string_view kId = "id=";
  std::size_t at = 0;
  do {
    at = attributes.find(kId, at == 0 ? 0 : at + 1);
    if (at == attributes.npos) return {};
  } while (at == 0 || (attributes[at - 1] != ' ' && attributes[at - 1] != '\t'));
  std::string_view value = attributes.substr(at + kId.size());
  if (value.starts_with('"') || value.starts_with('\''))
    return value.substr(1, value.substr(1).find(value.front()));
  return value.substr(0, value.find_first_of(" \t"));
}

class TrecReader final : public RecordReader {
 public:
  TrecReader(RecordBytes& bytes, const ExtractOptions& options, FaultLog& faults)
      : bytes_(bytes), options_(options), faults_(faults) {}

  bool next(KeyTaker& keys) override {
    if (!find_document()) return false;
    begin_ = bytes_.offset();
    id_ = take_tag();
    terms_.emplace(options_.fold, keys);
    text_.emplace(*terms_);
    text_->begin(false, begin_);
    docno_.clear();
    has_docno_ = in_docno_ = in_header_ = false;
    return go_on(keys);
  }

  bool go_on(KeyTaker& keys) override {
    if (!text_) return false;
    bool ends = false;
    while (!ends) {
      if (keys.is_full()) return true;
      ends = take_piece();
    }
    text_->end();
    text_.reset();
    keys.end_document();
    if (!has_docno_) docno_ = id_;
    if (!is_cut_ || !in_docno_) take_docno(keys);
    return true;
  }

 private:
  /// Moves on to the next document. What is not white space before it is a bad record.
  bool find_document() {
    bool is_named = false;
    while (true) {
      const std::string_view line = bytes_.peek_line(kLinePiece);
      if (line.empty()) return false;
      const std::size_t space = std::min(line.find_first_not_of(" \t\r\n"), line.size());
      if (begins_document(line.substr(space)) && line.find('>', space) != line.npos) {
        bytes_.skip(space);
        return true;
      }
      if (space != line.size() && !is_named) {
        is_named = true;
        faults_.bad_record(bytes_.offset() + space, begins_document(line.substr(space))
                                                        ? "the tag <DOC does not end in its line"
                                                        : "expected <DOC>");
      }
      bytes_.skip(line.size());
    }
  }

  /// Moves on to behind the document's tag; returns its id, if it has one.
  std::string take_tag() {
    const std::string_view line = bytes_.peek_line(kLinePiece);
    const std::size_t end = line.find('>');
    std::string id(id_of(line.substr(kDoc.size(), end - kDoc.size())));
    bytes_.skip(end + 1);
    return id;
  }

  /// Hands over a line of the document at hand, or a piece of one; returns whether it ends there.
  bool take_piece() {
    const std::string_view line = bytes_.peek_line(kLinePiece);
    is_cut_ = line.empty();
    if (is_cut_) {
      if (bytes_.damage().empty()) faults_.cut_short(begin_, "the document does not end");
      text_->cut();
      return true;
    }
    if (begins_document(line)) {
      faults_.bad_record(begin_, "another document begins before this one ends");
      return true;
    }
    const std::size_t end = std::min(line.find(kDocEnd), line.size());
    take_line(line.substr(0, end));
    const bool ends = end != line.size();
    bytes_.skip(ends ? end + kDocEnd.size() : line.size());
    return ends;
  }

  /// Hands over what `line` has of the text.
  void take_line(std::string_view line) {
    while (!line.empty()) {
      if (in_docno_) {
        const std::size_t end = std::min(line.find(kDocnoEnd), line.size());
        if (docno_.size() <= kMaxKeyBytes) docno_ += line.substr(0, end);
        leave(line, end, kDocnoEnd, in_docno_);
      } else if (in_header_) {
        leave(line, std::min(line.find(kHeaderEnd), line.size()), kHeaderEnd, in_header_);
      } else {
        const std::size_t docno = has_docno_ ? line.size() : line.find(kDocno);
        const std::size_t header = line.find(kHeader);
        const std::size_t end = std::min({docno, header, line.size()});
        if (options_.what == Extract::terms) text_->add(line.substr(0, end));
        line.remove_prefix(end);
        if (line.empty()) return;
        in_header_ = header < docno;
        in_docno_ = !in_header_;
        has_docno_ = has_docno_ || in_docno_;
        line.remove_prefix(in_header_ ? kHeader.size() : kDocno.size());
      }
    }
  }

  /// Moves on to behind the end tag at `end`, if there is one.
  static void leave(std::string_view& line, std::size_t end, std::string_view tag, bool& in_it) {
    in_it = end == line.size();
    line.remove_prefix(in_it ? end : end + tag.size());
  }

  void take_docno(KeyTaker& keys) {
    const std::string_view docno = base::trimmed(docno_);
    if (docno.empty()) {
      faults_.bad_record(begin_, "the document has no <DOCNO>");
    } else if (options_.what == Extract::docnos) {
      keys.take(docno, begin_);
    }
  }

  RecordBytes& bytes_;
  const ExtractOptions& options_;
  FaultLog& faults_;
  std::uint64_t begin_ = 0;  ///< of the document at hand
  std::string id_;
  std::optional<TermSplitter> terms_;
  std::optional<MarkupText> text_;  ///< null between two documents
  bool is_cut_ = false;
  std::string docno_;
  bool has_docno_ = false;
  bool in_docno_ = false;
  bool in_header_ = false;
};

}  // namespace

std::unique_ptr<RecordReader> trec_reader(RecordBytes& bytes, const ExtractOptions& options,
                                          FaultLog& faults) {
  return std::make_unique<TrecReader>(bytes, options, faults);
}

bool begins_trec(std::string_view line) noexcept {
  const std::string tag = keys::fold(line.substr(0, kDoc.size()));
  return tag == "<doc" && (line.size() == tag.size() || line[tag.size()] == '>' ||
                           base::kWhiteSpace.find(line[tag.size()]) != line.npos);
}

}  // namespace crivo::extract
