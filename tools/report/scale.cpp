// SPDX-License-Identifier: Apache-2.0
#include "report/scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "report/labels.hpp"

namespace crivo::report {
namespace {

/// 0.05, 1.5, 20,000, 1e7.
std::string tick_text(double value) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1000 && size < 1e6 && value == std::round(value)) {
    return (value < 0 ? "-" : "") + grouped(static_cast<std::uint64_t>(size));
  }
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  std::string all = text.data();
  const std::size_t exponent = all.find('e');
  if (exponent == std::string::npos) return all;
  // 1e+07 -> 1e7, 1e-05 -> 1e-5
  std::size_t digits = exponent + 1;
  if (all[digits] == '+') all.erase(digits, 1);
  if (all[digits] == '-') ++digits;
  while (all[digits] == '0') all.erase(digits, 1);
  return all;
}

/// The least of 1, 2, 5 times a power of ten that is not below `least`.
double round_step(double least) {
  const double decade = std::pow(10, std::floor(std::log10(least)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * decade >= least * (1 - 1e-9)) return digit * decade;
  }
  return 10 * decade;
}

}  // namespace

Scale::Scale(const Axis& axis, const std::vector<double>& values, double begin, double end,
             bool zero)
    : axis_(axis), begin_(begin), end_(end) {
  if (!axis.names.empty()) {
    low_ = -0.5;
    high_ = static_cast<double>(axis.names.size()) - 0.5;
    return;
  }
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    const double distance = axis.logarithmic ? value - axis.floor : value;
    if (!std::isfinite(distance) || (axis.logarithmic && distance <= 0)) continue;
    low = std::min(low, distance);
    high = std::max(high, distance);
  }
  if (low > high) low = high = 1;  // nothing to show
  if (axis.logarithmic) {
    constexpr double kRoom = 0.06;
    const double room = std::max(1.25, std::pow(high / low, kRoom));
    low_ = std::isnan(axis.low) ? low / room : axis.low - axis.floor;
    high_ = std::isnan(axis.high) ? high * room : axis.high - axis.floor;
    return;
  }
  // An axis that would begin near 0 begins there.
  constexpr double kNear = 0.4;
  const bool from_zero = zero || (low >= 0 && low < kNear * high);
  const bool to_zero = zero && high < 0;
  const double first = from_zero ? std::min(low, 0.0) : low;
  const double last = to_zero ? 0 : high;
  constexpr double kRoom = 0.05;
  const double room = last > first ? kRoom * (last - first) : std::max(1.0, std::abs(last)) / 2;
  low_ = !std::isnan(axis.low) ? axis.low : first == 0 ? 0 : first - room;
  high_ = !std::isnan(axis.high) ? axis.high : last == 0 && first < 0 ? 0 : last + room;
}

double Scale::at(double value) const noexcept {
  const double part = axis_.logarithmic ? std::log(std::max(value - axis_.floor, low_) / low_) /
                                              std::log(high_ / low_)
                                        : (value - low_) / (high_ - low_);
  return begin_ + (end_ - begin_) * part;
}

double Scale::base() const noexcept {
  return axis_.logarithmic ? begin_ : at(std::clamp(0.0, low_, high_));
}

bool Scale::is_free(double pixel, const std::string& text, const std::vector<Tick>& taken) const {
  constexpr double kEdge = 1;
  const auto [low, high] = std::minmax(begin_, end_);
  if (!(pixel >= low - kEdge && pixel <= high + kEdge)) return false;
  // Texts of an axis that runs across stand beside each other, of one that runs up above.
  const bool across = begin_ < end_;
  return std::ranges::none_of(taken, [&](const Tick& other) {
    const auto letters = static_cast<double>(text.size() + other.text.size());
    const double apart = across ? 10 + kLetterWidth * letters / 2 : 1.9 * kLabelHeight;
    return std::abs(pixel - other.pixel) < apart;
  });
}

std::vector<Tick> Scale::linear_ticks() const {
  const double pixels = std::abs(end_ - begin_);
  const double pixels_apart = begin_ < end_ ? 70 : 36;
  const double step = round_step((high_ - low_) * pixels_apart / pixels);
  std::vector<Tick> found;
  for (double i = std::ceil(low_ / step - 1e-9); i * step <= high_ + 1e-9 * step; ++i) {
    const std::string text = tick_text(i * step);
    if (is_free(at(i * step), text, found)) found.push_back({at(i * step), text});
  }
  return found;
}

/// The roundest values come first, others where there is room for them.
std::vector<Tick> Scale::logarithmic_ticks() const {
  static const std::vector<std::vector<double>> kDigits{
      {1}, {2, 5}, {1.5, 3, 4, 7}, {1.6, 1.8, 2.5, 6, 8}, {1.45, 1.48, 1.55, 1.7, 2.2}};
  std::vector<Tick> found;
  const int first = static_cast<int>(std::floor(std::log10(axis_.floor + low_)));
  const int last = static_cast<int>(std::floor(std::log10(axis_.floor + high_)));
  for (const std::vector<double>& digits : kDigits) {
    for (int decade = first; decade <= last; ++decade) {
      for (const double digit : digits) {
        const double value = digit * std::pow(10, decade);
        if (value < axis_.floor + low_) continue;
        const std::string text = tick_text(value);
        if (is_free(at(value), text, found)) found.push_back({at(value), text});
      }
    }
  }
  return found;
}

std::vector<Tick> Scale::ticks() const {
  if (axis_.names.empty()) return axis_.logarithmic ? logarithmic_ticks() : linear_ticks();
  std::vector<Tick> found;
  found.reserve(axis_.names.size());
  for (std::size_t i = 0; i < axis_.names.size(); ++i) {
    found.push_back({at(static_cast<double>(i)), axis_.names[i]});
  }
  return found;
}

}  // namespace crivo::report
