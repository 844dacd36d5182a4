// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>

#include "base/as_error.hpp"
#include "crivo/error.hpp"
#include "crivo/open.hpp"

namespace crivo {
namespace {

/// Whether the text is of this form, in which 0 stands for any digit.
bool has_form(std::string_view text, std::string_view form) {
  if (text.size() != form.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i]) return false;
  }
  return true;
}

constexpr std::string_view kSecondsForm = "0000-00-00T00:00:00Z";
constexpr std::string_view kMinutesForm = "0000-00-00T00:00Z";
constexpr std::string_view kDayForm = "0000-00-00";

std::optional<std::chrono::sys_seconds> decode_time(std::string_view text) {
  const bool has_seconds = has_form(text, kSecondsForm);
  const bool has_minutes = has_seconds || has_form(text, kMinutesForm);
  if (!has_minutes && !has_form(text, kDayForm)) return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t count) {
    unsigned value = 0;
    for (const char c : text.substr(at, count)) value = 10 * value + static_cast<unsigned>(c - '0');
    return value;
  };
  const std::chrono::year_month_day day(std::chrono::year(static_cast<int>(number(0, 4))),
                                        std::chrono::month(number(5, 2)),
                                        std::chrono::day(number(8, 2)));
  const unsigned hour = has_minutes ? number(11, 2) : 0;
  const unsigned minute = has_minutes ? number(14, 2) : 0;
  const unsigned second = has_seconds ? number(17, 2) : 0;
  if (!day.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  return std::chrono::sys_days(day) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second);
}

}  // namespace

std::chrono::sys_seconds parse_time(std::string_view text) try {
  if (const auto time = decode_time(text)) return *time;
  throw Error(ErrorKind::usage,
              quote(text) + " is not a time of UTC, such as 2026-12-07 or 2026-12-07T04:40Z");
} catch (...) {
  base::rethrow_as_error();
}

std::string time_text(std::chrono::sys_seconds time) {
  const auto midnight = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day day(midnight);
  const auto seconds = static_cast<unsigned>((time - midnight).count());
  std::array<char, 48> text{};
  const auto year = static_cast<int>(day.year());
  const auto month = static_cast<unsigned>(day.month());
  const auto of_month = static_cast<unsigned>(day.day());
  int size = std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02u:%02u", year, month,
                           of_month, seconds / 3600, seconds / 60 % 60);
  std::string all(text.data(), static_cast<std::size_t>(size));
  if (seconds % 60 != 0) {
    size = std::snprintf(text.data(), text.size(), ":%02u", seconds % 60);
    all.append(text.data(), static_cast<std::size_t>(size));
  }
  return all + "Z";
}

}  // namespace crivo
