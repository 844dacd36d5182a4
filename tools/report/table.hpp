// SPDX-License-Identifier: Apache-2.0
/// Numbers and tables as text: one writer for all tools.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crivo::report {

/// 10935928 -> "10,935,928".
std::string grouped(std::uint64_t value);
/// A number that there is none of.
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// With so many decimals; "-" for kNone.
std::string fixed(double value, int decimals);
/// 0.25 -> "25 %".
std::string percent(double part, int decimals = 0);

/// What a table can be written as.
enum class TableForm {
  text,      ///< columns aligned for a terminal
  markdown,  ///< as GitHub reads it
  csv,       ///< RFC 4180, with one line of headings
};

/// A column's heading.
struct Heading {
  Heading(std::string name, std::string begins = "", bool rule = false)  // NOLINT: most are a name
      : text(std::move(name)), group(std::move(begins)), ruled(rule) {}
  Heading(const char* name) : text(name) {}  // NOLINT: as above

  std::string text;
  std::string group;   ///< what it and those after it have in common; empty: as the one before
  bool ruled = false;  ///< a line stands before it, where a table is text
};

/// The first column is set to the left, the others to the right.
class Table {
 public:
  explicit Table(std::vector<Heading> headings) : headings_(std::move(headings)) {}

  /// Missing cells at the end stay empty.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// A text that would be wider than `width` letters is several tables one under the other, each
  /// with the first column and as many of the others as it has room for, one at least; groups are
  /// not divided where that can be.
  std::string write(TableForm form,
                    std::size_t width = std::numeric_limits<std::size_t>::max()) const;

 private:
  /// Which columns there are beside the first: [begin, end).
  struct Part {
    std::size_t begin, end;
  };
  std::vector<std::size_t> widths() const;
  std::vector<Part> parts(std::size_t width) const;
  std::string text(std::size_t width) const;
  std::string markdown() const;
  std::string csv() const;
  std::vector<std::string> titles() const;

  std::vector<Heading> headings_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace crivo::report
