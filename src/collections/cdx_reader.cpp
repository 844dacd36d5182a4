// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "collections/formats.hpp"
#include "input/json_members.hpp"
#include "input/places.hpp"

namespace crivo::extract {
namespace {

constexpr std::size_t kMostCdxLine = std::size_t{4} << 20;
constexpr std::string_view kLegend = "CDX";

/// The delimiter, "CDX", and behind each delimiter a letter.
bool is_legend(std::string_view line) noexcept {
  return line.size() > kLegend.size() + 1 && line.substr(1).starts_with(kLegend) &&
         line[kLegend.size() + 1] == line.front();
}

/// Column `number`, from 0; empty if there is none.
std::string_view field_of(std::string_view line, char delimiter, std::size_t number) noexcept {
  for (; number != 0; --number) {
    const std::size_t end = line.find(delimiter);
    if (end == line.npos) return {};
    line.remove_prefix(end + 1);
  }
  return line.substr(0, line.find(delimiter));
}

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

/// The digits of a time, from years to minutes at least, to milliseconds at most.
bool is_time(std::string_view text) noexcept {
  return text.size() >= 12 && text.size() <= 17 &&
         text.find_first_not_of("0123456789") == text.npos;
}

bool is_cdx_line(std::string_view line) noexcept {
  const FirstFields fields(line);
  return is_time(fields.text[1]) && (fields.text[2].starts_with('{') || fields.count == 4);
}

/// Lines of the CDX file format (IIPC, "The CDX File Format (2015)"), whose legend gives each
/// column a letter, and of two sorts of CDXJ: pywb's have key, time and a JSON object with the
/// member "url", OpenWayback's (IIPC, "OpenWayback CDXJ File Format", 1.0) key, time, the type of
/// the record and an object with "uri". Of the columns that of the original URL is read ("a",
/// without a legend the third, behind a time), of objects that member; nothing else of either: not
/// what a line says about which record it leads to. "-" stands for no value.
class CdxReader final : public RecordReader {
 public:
  CdxReader(RecordBytes& bytes, FaultLog& faults) : bytes_(bytes), faults_(faults) {}

  bool next(KeyTaker& keys) override {
    const std::uint64_t offset = bytes_.offset();
    const std::string_view whole = bytes_.peek_line(kMostCdxLine);
    if (whole.empty()) return false;
    if (whole.size() == kMostCdxLine) {
      faults_.bad_record(offset, "a line of more than 4 MiB");
      bytes_.skip_line();
      return true;
    }
    if (!whole.ends_with('\n') && !bytes_.damage().empty()) {  // it lacks its end
      bytes_.skip(whole.size());
      return true;
    }
    std::string_view line = whole;
    while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
    if (is_legend(line)) {
      read_legend(line, offset);
    } else if (!line.starts_with('!')) {  // a line about the file
      take(line, offset, !whole.ends_with('\n'), keys);
    }
    bytes_.skip(whole.size());
    return true;
  }

 private:
  /// The delimiter, "CDX", and for each column a letter: that of the URL is "a".
  void read_legend(std::string_view line, std::uint64_t offset) {
    delimiter_ = line.front();
    columns_ = 0;
    bool any = false;
    for (std::string_view letters = line.substr(kLegend.size() + 2); !letters.empty(); ++columns_) {
      const std::size_t end = std::min(letters.find(delimiter_), letters.size());
      if (letters.substr(0, end) == "a" && !std::exchange(any, true)) column_ = columns_;
      letters.remove_prefix(std::min(end + 1, letters.size()));
    }
    if (any) return;
    column_ = columns_;  // which no line has
    faults_.bad_record(offset, "the legend has no column of URLs, which is called \"a\"");
  }

  /// Why a line is not what the legend says; null if it is.
  const char* misfit(std::string_view line) const noexcept {
    if (columns_ == 0)
      return is_time(field_of(line, delimiter_, 1)) ? nullptr : "the line has no time in column 2";
    const auto columns = static_cast<std::size_t>(std::ranges::count(line, delimiter_)) + 1;
    if (columns == columns_) return nullptr;
    return columns < columns_ ? "the line has fewer columns than the legend"
                              : "the line has more columns than the legend";
  }

  /// `is_last`: the line has no end.
  void take(std::string_view line, std::uint64_t offset, bool is_last, KeyTaker& keys) {
    const std::size_t object = line.find(" {");  // with which no other field begins
    const bool is_of_pywb = field_of(line, ' ', 2).starts_with('{');
    const bool is_json =
        object != line.npos && (is_of_pywb || field_of(line, ' ', 3).starts_with('{'));
    const std::string_view url =
        is_json ? json_url(line.substr(object + 1), is_of_pywb ? "url" : "uri", offset)
                : field_of(line, delimiter_, column_);
    if (is_json && url.empty()) return;
    const bool may_be_cut = !is_json && url.data() + url.size() == line.data() + line.size();
    if (const char* const problem = is_json ? nullptr : misfit(line)) {
      faults_.bad_record(offset, problem);
    } else if (is_last && may_be_cut) {
      faults_.cut_short(offset, "the last line does not end");
    } else if (url.empty() || url == "-") {
      faults_.bad_record(offset, "the line has no URL in column " + std::to_string(column_ + 1));
    } else if (is_json) {
      keys.take_uri(url, offset);
    } else {
      keys.take_url(url, offset);
    }
  }

  std::string_view json_url(std::string_view object, std::string_view member,
                            std::uint64_t offset) {
    const input::Place place{0, offset};
    try {
      const input::JsonText url = input::json_members(object, member, {}, place).key;
      if (!url.has_escapes) return url.text;
      unescaped_.resize(url.text.size());
      unescaped_.resize(input::unescape_json(url.text, unescaped_.data(), place));
      return unescaped_;
    } catch (const input::InputFault& fault) {
      faults_.bad_record(offset, fault.what());
      return {};
    }
  }

  RecordBytes& bytes_;
  FaultLog& faults_;
  char delimiter_ = ' ';
  std::size_t column_ = 2;
  std::size_t columns_ = 0;  ///< of the legend; without one they are not counted
  std::string unescaped_;
};

}  // namespace

std::unique_ptr<RecordReader> cdx_reader(RecordBytes& bytes, const ExtractOptions& /*options*/,
                                         FaultLog& faults) {
  return std::make_unique<CdxReader>(bytes, faults);
}

bool begins_cdx(std::string_view line) noexcept {
  return line.starts_with("CDX ") || line.starts_with("CDX\t") ||
         line.starts_with("!OpenWayback-CDXJ") || is_cdx_line(line);
}

}  // namespace crivo::extract
