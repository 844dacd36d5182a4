/// Numbers and tables as text.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace crivo::experiments {

/// 10935928 -> "10,935,928".
std::string grouped(std::uint64_t value);
/// A number that there is none of.
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// With so many decimals; "-" for kNone.
std::string fixed(double value, int decimals);
/// 0.25 -> "25 %".
std::string percent(double part, int decimals = 0);

/// A table of Markdown. The first column is set to the left, the others to the right.
class Table {
 public:
  explicit Table(std::vector<std::string> headings) : headings_(std::move(headings)) {}

  /// Missing cells at the end stay empty.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string markdown() const;

 private:
  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace crivo::experiments
