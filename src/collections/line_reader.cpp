// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>

#include "collections/formats.hpp"
#include "collections/term_splitter.hpp"
#include "input/line_fields.hpp"
#include "input/places.hpp"
#include "input/unit_framing.hpp"

namespace crivo::extract {
namespace {

/// The bytes that are read at a time of a line whose terms are taken.
constexpr std::size_t kTermsPiece = std::size_t{64} << 10;
/// The most bytes of a line that is a key, and of what may stand around it.
constexpr std::size_t kMostAround = kMaxKeyBytes + 8192;

class LineReader final : public RecordReader {
 public:
  LineReader(RecordBytes& bytes, const ExtractOptions& options, FaultLog& faults)
      : bytes_(bytes),
        options_(options),
        format_(options.format),
        faults_(faults),
        delimiter_(format_.framing == KeyFormat::Framing::null ? '\0' : '\n'),
        has_fields_(input::has_fields(format_)),
        has_header_(format_.skip_header),
        most_(static_cast<std::size_t>(has_fields_ ? format_.max_line_bytes : kMostAround)) {}

  bool next(KeyTaker& keys) override {
    begin_ = bytes_.offset();
    if (options_.what == Extract::terms && !has_fields_ && !has_header_) {
      if (bytes_.at_end()) return false;
      terms_.emplace(options_.fold, keys);
      return go_on(keys);
    }
    const std::string_view whole = peek_unit();
    if (whole.empty()) return false;
    if (whole.size() > most_) {
      if (has_fields_) {
        faults_.bad_record(begin_, "the line has more than " + std::to_string(most_) + " bytes",
                           "max_line_bytes");
      } else if (!has_header_) {
        keys.refuse_long(begin_);
      }
      has_header_ = false;
      bytes_.skip_line(delimiter_);
      return true;
    }
    if (!whole.ends_with(delimiter_) && !bytes_.damage().empty()) {  // it lacks its end
      bytes_.skip(whole.size());
      return true;
    }
    size_ = whole.size();
    if (has_header_) {
      read_header(whole);
    } else if (!input::is_blank(without_end(whole), format_)) {
      take(without_end(whole), keys);
      if (terms_) return go_on(keys);
    }
    bytes_.skip(size_);
    return true;
  }

  /// Goes on with the terms of a line.
  bool go_on(KeyTaker& keys) override {
    if (!terms_) return false;
    bool ends = false;
    while (!ends) {
      if (keys.is_full()) return true;
      ends = has_fields_ ? take_piece_of_field() : take_piece_of_line();
    }
    terms_->end();
    terms_.reset();
    keys.end_document();
    return true;
  }

 private:
  bool take_piece_of_line() {
    const std::string_view piece = bytes_.peek_line(kTermsPiece, delimiter_);
    terms_->add(piece, begin_);
    bytes_.skip(piece.size());
    if (piece.empty() && !bytes_.damage().empty()) terms_->cut();
    return piece.empty() || piece.ends_with(delimiter_);
  }

  /// The line stays at the window until its field is used up, which is of the line or of the chunk.
  bool take_piece_of_field() {
    const std::string_view piece = field_.substr(0, kTermsPiece);
    terms_->add(piece, begin_);
    field_.remove_prefix(piece.size());
    if (!field_.empty()) return false;
    bytes_.skip(size_);
    return true;
  }

  /// A line, or of quoted columns as many as they hold. Of one that is too long, more than the
  /// limit.
  std::string_view peek_unit() {
    const std::size_t most = most_ + 1;
    if (!format_.quotes) return bytes_.peek_line(most, delimiter_);
    input::QuotedLines lines(format_.column_delimiter);
    std::size_t wanted = bytes_.peek_line(most).size();
    while (wanted != 0) {
      const std::string_view some = bytes_.peek(wanted);
      const std::size_t end = lines.next_end(some);
      if (end != some.size()) return some.substr(0, end + 1);
      if (some.size() < wanted || wanted >= most) return some;
      wanted = std::min(2 * wanted, most);
    }
    return {};
  }

  std::string_view without_end(std::string_view line) const noexcept {
    if (line.ends_with(delimiter_)) line.remove_suffix(1);
    if (format_.strip_cr && line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  void read_header(std::string_view line) {
    has_header_ = false;
    if (format_.key_name.empty()) return;
    try {
      chunk_.columns = input::columns_of(line, input::UnitFraming::of_keys(format_), {0, begin_});
    } catch (const input::InputFault& fault) {  // no line of the file has a key
      throw Error(ErrorKind::bad_input, bytes_.name() + ": " + fault.what());
    }
  }

  void take(std::string_view line, KeyTaker& keys) {
    std::string_view key = line;
    if (has_fields_) {
      chunk_.bytes = line;
      try {
        key = input::LineFields(chunk_, format_).key(line, {0, begin_});
      } catch (const input::InputFault& fault) {
        faults_.bad_record(begin_, fault.what());
        return;
      }
    }
    if (options_.what == Extract::terms) {
      field_ = key;
      terms_.emplace(options_.fold, keys);
    } else if (options_.what == Extract::urls) {
      keys.take_url_line(key, begin_);
    } else {
      keys.take(key, begin_);
    }
  }

  RecordBytes& bytes_;
  const ExtractOptions& options_;
  const KeyFormat& format_;
  FaultLog& faults_;
  char delimiter_;
  bool has_fields_;
  bool has_header_;   ///< which is still to be read
  std::size_t most_;  ///< bytes of a line
  input::Chunk chunk_;
  std::uint64_t begin_ = 0;            ///< of the line at hand
  std::size_t size_ = 0;               ///< with its end
  std::optional<TermSplitter> terms_;  ///< of the line at hand, while there are more
  std::string_view field_;             ///< whose terms are still to be taken
};

}  // namespace

std::unique_ptr<RecordReader> line_reader(RecordBytes& bytes, const ExtractOptions& options,
                                          FaultLog& faults) {
  return std::make_unique<LineReader>(bytes, options, faults);
}

}  // namespace crivo::extract
