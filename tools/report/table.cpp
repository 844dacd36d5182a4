#include "report/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace crivo::report {

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string fixed(double value, int decimals) {
  if (std::isnan(value)) return "-";
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

std::string percent(double part, int decimals) {
  return std::isnan(part) ? "-" : fixed(100 * part, decimals) + " %";
}

std::string Table::write(TableForm form) const {
  switch (form) {
    case TableForm::text:
      return text();
    case TableForm::markdown:
      return markdown();
    case TableForm::csv:
      break;
  }
  return csv();
}

/// A group's name stands above the first of its columns. A row of two cells among wider ones is a
/// name and a remark, which no column is widened for.
std::string Table::text() const {
  constexpr std::size_t kGap = 2;
  const std::size_t columns = headings_.size();
  const auto is_remark = [&](const auto& row) { return row.size() == 2 && columns > 2; };
  const auto cell = [&](std::size_t column, const std::string& text) {
    return headings_[column].ruled ? "| " + text : text;
  };
  std::vector<std::size_t> widths;
  widths.reserve(columns);
  for (std::size_t c = 0; c < columns; ++c) widths.push_back(cell(c, headings_[c].text).size());
  for (const auto& row : rows_) {
    const std::size_t counted = is_remark(row) ? 1 : std::min(row.size(), columns);
    for (std::size_t c = 0; c < counted; ++c) {
      widths[c] = std::max(widths[c], cell(c, row[c]).size());
    }
  }

  std::string all;
  for (std::size_t c = 0, begin = 0; c < columns; begin += widths[c++] + kGap) {
    if (headings_[c].group.empty()) continue;
    all.resize(begin, ' ');
    all += cell(c, headings_[c].group);
  }
  if (!all.empty()) all += '\n';
  const auto add_line = [&](const std::vector<std::string>& row, bool remark) {
    for (std::size_t c = 0; c < std::min(row.size(), columns); ++c) {
      const std::string text = remark ? row[c] : cell(c, row[c]);
      const std::string pad(widths[c] - std::min(widths[c], text.size()), ' ');
      if (c == 0) {
        all += text + pad;
      } else {
        all += std::string(kGap, ' ') + (remark ? text : pad + text);
      }
    }
    all += '\n';
  };
  std::vector<std::string> names(columns);
  std::ranges::transform(headings_, names.begin(), &Heading::text);
  add_line(names, false);
  for (const auto& row : rows_) add_line(row, is_remark(row));
  return all;
}

/// Headings where there is one line for them: "lookup ns: one", "lookup ns: batch".
std::vector<std::string> Table::titles() const {
  std::vector<std::string> all;
  all.reserve(headings_.size());
  std::string group;
  for (const Heading& heading : headings_) {
    if (!heading.group.empty()) group = heading.group;
    all.push_back(group.empty() ? heading.text : group + ": " + heading.text);
  }
  return all;
}

std::string Table::markdown() const {
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (std::size_t c = 0; c < headings_.size(); ++c) {
      text += ' ' + (c < cells.size() ? cells[c] : std::string()) + " |";
    }
    return text + '\n';
  };
  std::string text = line(titles()) + '|';
  for (std::size_t c = 0; c < headings_.size(); ++c) text += c == 0 ? "---|" : "---:|";
  text += '\n';
  for (const auto& row : rows_) text += line(row);
  return text;
}

std::string Table::csv() const {
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t c = 0; c < headings_.size(); ++c) {
      const std::string cell = c < cells.size() && cells[c] != "-" ? cells[c] : "";
      if (c != 0) text += ',';
      if (cell.find_first_of(",\"\r\n") == std::string::npos) {
        text += cell;
        continue;
      }
      text += '"';
      for (const char byte : cell) text += byte == '"' ? std::string("\"\"") : std::string(1, byte);
      text += '"';
    }
    return text + '\n';
  };
  std::string text = line(titles());
  for (const auto& row : rows_) text += line(row);
  return text;
}

}  // namespace crivo::report
