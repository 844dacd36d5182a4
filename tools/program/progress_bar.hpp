// SPDX-License-Identifier: Apache-2.0
/// A bar that shows how far something is.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace crivo::cli {

/// "42% [########------------] TEXT", in at most `columns` columns: the bar takes what the text
/// leaves, between kLeastBar and kMostBar columns, and where that is less there is none. `fraction`
/// is from 0 to 1; `colour`: what is done is green.
inline std::string progress_bar(double fraction, std::string_view text, std::size_t columns,
                                bool colour) {
  constexpr std::size_t kLeastBar = 8;
  constexpr std::size_t kMostBar = 30;
  constexpr std::size_t kBrackets = 3;  // and the space behind them
  std::array<char, 8> percent{};
  std::snprintf(percent.data(), percent.size(), "%.0f%% ", std::floor(100 * fraction));
  std::string line = percent.data();
  const std::size_t taken = line.size() + kBrackets + text.size();
  if (taken + kLeastBar <= columns) {
    const std::size_t width = std::min(columns - taken, kMostBar);
    const auto done = static_cast<std::size_t>(fraction * static_cast<double>(width));
    line.append("[").append(colour ? "\x1b[32m" : "").append(done, '#');
    line.append(colour ? "\x1b[0m" : "").append(width - done, '-').append("] ");
  } else {
    text = text.substr(0, columns - std::min(columns, line.size()));
  }
  return line.append(text);
}

}  // namespace crivo::cli
