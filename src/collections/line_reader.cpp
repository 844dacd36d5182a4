// SPDX-License-Identifier: Apache-2.0
#include "collections/formats.hpp"
#include "collections/term_splitter.hpp"
#include "input/input_fault.hpp"
#include "input/line_fields.hpp"
#include "input/quoted_lines.hpp"
#include "input/unit_framing.hpp"

namespace crivo::extract {
namespace {

/// Of a line that holds its key among other things.
constexpr std::size_t kMostLine = std::size_t{64} << 20;

class LineReader final : public RecordReader {
 public:
  LineReader(RecordBytes& bytes, const ExtractOptions& options, FaultLog& faults)
      : bytes_(bytes),
        options_(options),
        format_(options.format),
        faults_(faults),
        delimiter_(format_.framing == KeyFormat::Framing::null ? '\0' : '\n'),
        has_fields_(input::has_fields(format_)),
        has_header_(format_.skip_header) {}

  bool next(KeyTaker& keys) override {
    const std::uint64_t offset = bytes_.offset();
    const std::string_view whole = peek_unit();
    if (whole.empty()) return false;
    if (whole.size() >= kMostLine) {
      faults_.bad_record(offset, "a line of more than 64 MiB");
      bytes_.skip_line(delimiter_);
      return true;
    }
    const std::size_t size = whole.size();
    if (!whole.ends_with(delimiter_) && !bytes_.damage().empty()) {  // it lacks its end
      bytes_.skip(size);
      return true;
    }
    if (has_header_) {
      read_header(whole, offset);
    } else if (!input::is_blank(without_end(whole), format_)) {
      take(without_end(whole), offset, keys);
    }
    bytes_.skip(size);
    return true;
  }

 private:
  /// A line, or of quoted columns as many as they hold.
  std::string_view peek_unit() {
    if (!format_.quotes) return bytes_.peek_line(kMostLine, delimiter_);
    input::QuotedLines lines(format_.column_delimiter);
    std::size_t wanted = bytes_.peek_line(kMostLine).size();
    while (wanted != 0) {
      const std::string_view some = bytes_.peek(wanted);
      const std::size_t end = lines.next_end(some);
      if (end != some.size()) return some.substr(0, end + 1);
      if (some.size() < wanted || wanted >= kMostLine) return some;
      wanted *= 2;
    }
    return {};
  }

  std::string_view without_end(std::string_view line) const noexcept {
    if (line.ends_with(delimiter_)) line.remove_suffix(1);
    if (format_.strip_cr && line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  void read_header(std::string_view line, std::uint64_t offset) {
    has_header_ = false;
    if (format_.key_name.empty()) return;
    try {
      chunk_.columns = input::columns_of(line, input::UnitFraming::of_keys(format_), {0, offset});
    } catch (const input::InputFault& fault) {  // no line of the file has a key
      throw Error(ErrorKind::bad_input, bytes_.name() + ": " + fault.what());
    }
  }

  void take(std::string_view line, std::uint64_t offset, KeyTaker& keys) {
    std::string_view key = line;
    if (has_fields_) {
      chunk_.bytes = line;
      try {
        key = input::LineFields(chunk_, format_).key(line, {0, offset});
      } catch (const input::InputFault& fault) {
        faults_.bad_record(offset, fault.what());
        return;
      }
    }
    if (options_.what == Extract::terms) {
      TermSplitter terms(options_.fold, keys);
      terms.add(key, offset);
      terms.end();
      keys.end_document();
    } else if (options_.what == Extract::urls) {
      keys.take_url_line(key, offset);
    } else {
      keys.take(key, offset);
    }
  }

  RecordBytes& bytes_;
  const ExtractOptions& options_;
  const KeyFormat& format_;
  FaultLog& faults_;
  char delimiter_;
  bool has_fields_;
  bool has_header_;  ///< which is still to be read
  input::Chunk chunk_;
};

}  // namespace

std::unique_ptr<RecordReader> line_reader(RecordBytes& bytes, const ExtractOptions& options,
                                          FaultLog& faults) {
  return std::make_unique<LineReader>(bytes, options, faults);
}

}  // namespace crivo::extract
