// SPDX-License-Identifier: Apache-2.0
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

std::string Table::write(TableForm form, std::size_t width) const {
  switch (form) {
    case TableForm::text:
      return text(width);
    case TableForm::markdown:
      return markdown();
    case TableForm::csv:
      break;
  }
  return csv();
}

namespace {

constexpr std::size_t kGap = 2;  // between two columns

/// A row of two cells among wider ones is a name and a remark, which no column is widened for.
bool is_remark(const std::vector<std::string>& row, std::size_t columns) {
  return row.size() == 2 && columns > 2;
}

std::string cell(const Heading& heading, const std::string& text) {
  return heading.ruled ? "| " + text : text;
}

}  // namespace

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  widths.reserve(headings_.size());
  for (const Heading& heading : headings_) widths.push_back(cell(heading, heading.text).size());
  for (const auto& row : rows_) {
    const std::size_t counted =
        is_remark(row, headings_.size()) ? 1 : std::min(row.size(), headings_.size());
    for (std::size_t c = 0; c < counted; ++c) {
      widths[c] = std::max(widths[c], cell(headings_[c], row[c]).size());
    }
  }
  return widths;
}

std::vector<Table::Part> Table::parts(std::size_t width) const {
  const std::vector<std::size_t> widths = this->widths();
  std::vector<Part> parts;
  for (std::size_t begin = 1; begin < headings_.size();) {
    std::size_t used = widths[0];
    std::size_t end = begin;        // of those that have room
    std::size_t group_end = begin;  // of whole groups
    while (end < headings_.size() && (end == begin || used + kGap + widths[end] <= width)) {
      used += kGap + widths[end++];
      if (end == headings_.size() || !headings_[end].group.empty()) group_end = end;
    }
    parts.push_back({begin, group_end > begin ? group_end : end});
    begin = parts.back().end;
  }
  if (parts.empty()) parts.push_back({1, 1});
  return parts;
}

/// A group's name stands above the first of its columns, and of each part that it goes on in.
std::string Table::text(std::size_t width) const {
  const std::vector<std::size_t> widths = this->widths();
  std::string all;
  std::string group;  // of the column before
  for (const Part& part : parts(width)) {
    if (part.begin > 1) all += '\n';
    std::vector<std::size_t> columns{0};
    for (std::size_t c = part.begin; c < part.end; ++c) columns.push_back(c);
    std::string groups;
    std::size_t begin = 0;
    for (const std::size_t c : columns) {
      if (!headings_[c].group.empty()) group = headings_[c].group;
      if (!headings_[c].group.empty() || (c == part.begin && !group.empty() && c > 1)) {
        groups.resize(begin, ' ');
        groups += cell(headings_[c], group);
      }
      begin += widths[c] + kGap;
    }
    if (!groups.empty()) all += groups + '\n';
    const auto add_line = [&](const std::vector<std::string>& row, bool remark) {
      for (const std::size_t c : columns) {
        if (c >= row.size()) break;
        const std::string text = remark ? row[c] : cell(headings_[c], row[c]);
        const std::string pad(widths[c] - std::min(widths[c], text.size()), ' ');
        if (c == 0) {
          all += text + pad;
        } else {
          all += std::string(kGap, ' ') + (remark ? text : pad + text);
        }
      }
      all += '\n';
    };
    std::vector<std::string> names(headings_.size());
    std::ranges::transform(headings_, names.begin(), &Heading::text);
    add_line(names, false);
    for (const auto& row : rows_) {
      const bool remark = is_remark(row, headings_.size());
      if (!remark || part.begin == 1) add_line(row, remark);
    }
  }
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
