#include "experiments/table.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace crivo::experiments {

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

std::string Table::markdown() const {
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (std::size_t c = 0; c < headings_.size(); ++c) {
      text += ' ' + (c < cells.size() ? cells[c] : std::string()) + " |";
    }
    return text + '\n';
  };
  std::string text = line(headings_) + '|';
  for (std::size_t c = 0; c < headings_.size(); ++c) text += c == 0 ? "---|" : "---:|";
  text += '\n';
  for (const auto& row : rows_) text += line(row);
  return text;
}

}  // namespace crivo::experiments
