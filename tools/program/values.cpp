// SPDX-License-Identifier: Apache-2.0
#include "program/values.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>

#include "crivo/build/build.hpp"
#include "crivo/error.hpp"
#include "crivo/open.hpp"
#include "http/shown_url.hpp"
#include "program/remote_index.hpp"

namespace crivo::cli {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMaxColumn = 1'000'000;
/// The prefix of a random seed's number.
constexpr std::string_view kRandomSeed = "random:";

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw Error(ErrorKind::usage, shown(text) + " " + why);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A suffix of a number, and the factor that it stands for.
struct Suffix {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::array<Suffix, 5> kCountSuffixes{
    {{"", 1}, {"k", 1'000}, {"K", 1'000}, {"M", 1'000'000}, {"G", 1'000'000'000}}};

/// Takes a run of digits off the front of `text`.
std::string_view take_digits(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  const std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  return digits;
}

/// The number that `text` begins with, written with digits, a point and an exponent, times what its
/// suffix stands for; `factor_of` says that, or nothing for a suffix that there is not. A part of
/// one is one more where something stands for more and `rounds_up`.
template <typename FactorOf>
std::uint64_t parse_whole(std::string_view text, const char* example, bool rounds_up,
                          FactorOf&& factor_of) {
  const std::string no_number = std::string("is not a number, such as ") + example;
  if (text.empty()) refuse(text, no_number);
  if (text.front() == '-') refuse(text, "is negative");
  std::string_view rest = text;
  const std::string_view whole = take_digits(rest);
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
  }
  if (whole.empty() && fraction.empty()) refuse(text, no_number);
  while (fraction.ends_with('0')) fraction.remove_suffix(1);

  int exponent = 0;
  if (rest.starts_with('e') || rest.starts_with('E')) {
    std::string_view after = rest.substr(1);
    if (after.starts_with('+')) after.remove_prefix(1);
    const std::string_view digits = take_digits(after);
    if (digits.empty() || !after.empty()) refuse(text, no_number);
    constexpr int kEnough = 1000;  // above it every number but 0 is too large
    for (const char c : digits) exponent = std::min(exponent * 10 + (c - '0'), kEnough);
    rest = after;
  }
  const std::optional<std::uint64_t> factor = factor_of(rest);
  if (!factor) refuse(text, no_number);

  const std::string too_large = "is above " + std::to_string(kMost);
  int places = static_cast<int>(fraction.size()) - exponent;  // decimal ones of `value`
  Wide value = 0;
  for (const std::string_view digits : {whole, fraction}) {
    for (const char c : digits) {
      value = value * 10 + static_cast<unsigned>(c - '0');
      if (value > Wide{kMost} * kMost / *factor / 10) {
        refuse(text, places > 0 ? "is not a whole number" : too_large);
      }
    }
  }
  value *= *factor;
  for (; places > 0 && value % 10 == 0 && value != 0; --places) value /= 10;
  if (places > 0 && value != 0) {
    if (!rounds_up || *factor == 1) refuse(text, "is not a whole number");
    for (; places > 0; --places) value = value / 10 + (value % 10 == 0 ? 0 : 1);
  }
  for (; places < 0 && value != 0 && value <= kMost; ++places) value *= 10;
  if (value > kMost) refuse(text, too_large);
  return static_cast<std::uint64_t>(value);
}

/// 2^10, 2^20... for "K", "KB" or "KiB" and so on, in either case.
std::optional<std::uint64_t> binary_factor(std::string_view suffix) {
  if (suffix.empty() || suffix == "B") return 1;
  const std::string_view unit = suffix.substr(1);
  if (!unit.empty() && unit != "B" && unit != "iB") return std::nullopt;
  const std::size_t power = std::string_view("KMGT").find(
      static_cast<char>(std::toupper(static_cast<unsigned char>(suffix.front()))));
  if (power == std::string_view::npos) return std::nullopt;
  return std::uint64_t{1} << 10 * (power + 1);
}

/// A number that is not negative, all of `text`, as strtod() has it.
std::optional<double> parse_double(std::string_view text) {
  double value = 0;
  if (text.empty() || !(is_digit(text.front()) || text.front() == '.')) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range || error == std::errc::invalid_argument ||
      end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

/// Every digit that tells `value` from other numbers.
std::string exact_text(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

/// A check that puts convert(text) in the text's place; what convert() throws is told. `values` are
/// those that help shows.
template <typename Convert>
CLI::Validator conversion(Convert convert, const std::string& values = "") {
  return {[convert](std::string& text) {
            try {
              text = convert(text);
              return std::string();
            } catch (const Error& error) {
              return std::string(error.what());
            }
          },
          values};
}

template <typename Parse>
CLI::Validator number_in(Parse parse, std::uint64_t lowest, std::uint64_t highest) {
  return conversion([=](const std::string& text) {
    const std::uint64_t value = parse(text);
    if (value < lowest) refuse(text, "is below " + std::to_string(lowest));
    if (value > highest) refuse(text, "is above " + std::to_string(highest));
    return std::to_string(value);
  });
}

/// "{a,b,c}", as help shows them.
std::string braced(const std::vector<std::string>& names) {
  return "{" + CLI::detail::join(names) + "}";
}

/// How many letters are to be added, removed, replaced or swapped with the next to make `b` of `a`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last.back();
}

/// A column's number without leading zeros, or its name. `text` is what messages name.
std::string column_text(std::string_view column, std::string_view text) {
  const bool is_number = column.find_first_not_of("0123456789") == std::string_view::npos;
  if (column.empty() || column.find(',') != std::string_view::npos)
    refuse(text, "is not a column or a few, such as 2, 2,5 or sku,price");
  if (!is_number) return std::string(column);
  const std::uint64_t number = parse_count(column);
  if (number == 0 || number > kMaxColumn)
    refuse(text, "is not a column from 1 to " + std::to_string(kMaxColumn));
  return std::to_string(number);
}

}  // namespace

std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    list += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  }
  return list;
}

std::uint64_t parse_count(std::string_view text) {
  return parse_whole(text, "12, 10k, 1.5M or 1e6", false,
                     [](std::string_view suffix) -> std::optional<std::uint64_t> {
                       const auto* found = std::ranges::find(kCountSuffixes, suffix, &Suffix::name);
                       if (found == kCountSuffixes.end()) return std::nullopt;
                       return found->factor;
                     });
}

std::uint64_t parse_size(std::string_view text, bool rounds_up) {
  return parse_whole(text, "8, 512M or 1.5G", rounds_up, binary_factor);
}

double parse_rate(std::string_view text) {
  std::string_view number = text;
  double divisor = 1;
  if (number.ends_with('%')) {
    number.remove_suffix(1);
    divisor = 100;
  } else if (const std::size_t slash = number.find('/'); slash != std::string_view::npos) {
    divisor = parse_double(number.substr(slash + 1)).value_or(0);
    number = number.substr(0, slash);
  }
  if (number.starts_with('-')) refuse(text, "is negative");
  const std::optional<double> value = parse_double(number);
  if (!value || divisor == 0) refuse(text, "is not a rate, such as 0.01, 1% or 1/256");
  return *value / divisor;
}

CLI::Validator count_value(std::uint64_t lowest, std::uint64_t highest) {
  return number_in(parse_count, lowest, highest);
}

CLI::Validator size_value(std::uint64_t lowest, std::uint64_t highest, bool rounds_up) {
  const auto parse = [rounds_up](std::string_view text) { return parse_size(text, rounds_up); };
  return number_in(parse, lowest, highest);
}

CLI::Validator rate_value() {
  return conversion([](const std::string& text) { return exact_text(parse_rate(text)); });
}

Seed parse_seed(std::string_view text) {
  if (text == "random") return {random_seed(), true};
  const bool random = text.starts_with(kRandomSeed);
  return {parse_count(random ? text.substr(kRandomSeed.size()) : text), random};
}

CLI::Validator seed_value(bool draws) {
  return conversion([draws](const std::string& text) {
    if (text == "random" && !draws) return text;
    const Seed seed = parse_seed(text);
    return (seed.random ? std::string(kRandomSeed) : "") + std::to_string(seed.number);
  });
}

Numbered parse_share(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) refuse(text, "is not a share, such as 0/8");
  const Numbered share{parse_count(text.substr(0, slash)), parse_count(text.substr(slash + 1))};
  if (share.index >= share.count)
    refuse(text, "is not a share: shares count from 0, for example 0/8 to 7/8");
  return share;
}

CLI::Validator share_value() {
  return conversion([](const std::string& text) {
    const Numbered share = parse_share(text);
    return std::to_string(share.index) + "/" + std::to_string(share.count);
  });
}

CLI::Validator decimal_value() {
  return conversion([](const std::string& text) {
    if (text.starts_with('-')) refuse(text, "is negative");
    const std::optional<double> value = parse_double(text);
    if (!value) refuse(text, "is not a number, such as 8 or 9.5");
    constexpr std::ptrdiff_t kMostDigits = std::numeric_limits<double>::digits10;
    if (std::ranges::count_if(text, is_digit) > kMostDigits)
      refuse(text, "is not a number of at most 15 digits");
    return exact_text(*value);
  });
}

CLI::Validator columns_value() {
  return conversion([](const std::string& text) {
    constexpr unsigned kMostColumns = 3;  // a key, a value, and what is put behind that
    std::string columns;
    std::string_view rest = text;
    for (unsigned i = 1;; ++i) {
      const std::size_t comma = i < kMostColumns ? rest.find(',') : std::string_view::npos;
      columns += (i == 1 ? "" : ",") + column_text(rest.substr(0, comma), text);
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    return columns;
  });
}

CLI::Validator name_value() {
  return conversion([](const std::string& text) {
    if (text.empty()) refuse(text, "is not a name");
    return text;
  });
}

CLI::Validator time_value() {
  return conversion([](const std::string& text) {
    try {
      (void)parse_time(text);
    } catch (const Error&) {
      refuse(text, "is not a time of UTC, such as 2026-12-07 or 2026-12-07T04:40Z");
    }
    return text;
  });
}

CLI::Validator byte_value() {
  return conversion([](const std::string& text) -> std::string {
    if (text == "\\t") return "\t";
    if (text.size() != 1) refuse(text, "is not one byte");
    if (text == "\n" || text == "\"") refuse(text, "cannot be a delimiter");
    return text;
  });
}

std::string parse_hex(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned value = 0;
    const char* const end = text.data() + std::min(i + 2, text.size());
    const auto parsed = std::from_chars(text.data() + i, end, value, 16);
    if (text.size() % 2 != 0 || parsed.ec != std::errc() || parsed.ptr != end) {
      refuse(text, "is not an even number of hexadecimal digits");
    }
    bytes += static_cast<char>(value);
  }
  return bytes;
}

CLI::Validator one_of(std::span<const unsigned> numbers) {
  std::vector<std::string> names;
  for (const unsigned number : numbers) names.push_back(std::to_string(number));
  return conversion(
      [names](const std::string& text) {
        std::string value = std::to_string(parse_count(text));
        if (std::ranges::find(names, value) == names.end()) {
          refuse(text, "is not " + list_of(names));
        }
        return value;
      },
      braced(names));
}

CLI::Validator one_of(const std::vector<std::string>& names) {
  return conversion(
      [names](const std::string& text) {
        if (std::ranges::find(names, text) != names.end()) return text;
        const std::string meant = nearest(text, names);
        refuse(text,
               "is not " + list_of(names) + (meant.empty() ? "" : "; did you mean " + meant + "?"));
      },
      braced(names));
}

CLI::Validator one_of(std::span<const std::string_view> names) {
  return one_of(std::vector<std::string>(names.begin(), names.end()));
}

namespace {

/// The URL with its scheme in small letters, as all else takes it (RFC 3986, 3.1); a path, which
/// has no scheme that is read, comes back as it is. Throws Error(usage) for a URL without a host.
std::string path_or_url(const std::string& text) {
  std::string scheme = text.substr(0, std::min(text.find(':'), text.size()));
  std::ranges::transform(scheme, scheme.begin(), [](unsigned char c) { return std::tolower(c); });
  if ((scheme != "http" && scheme != "https") || text.compare(scheme.size(), 3, "://") != 0)
    return text;
  std::string url = scheme + text.substr(scheme.size());
  const std::string_view host = http::host_of(url);
  if (host.empty() || host.starts_with(':')) refuse(http::shown_url(url), "names no host");
  return url;
}

CLI::Validator mapped(bool may_be_url) {
  return conversion([may_be_url](const std::string& text) {
    if (text == "-") {
      refuse(text,
             "means standard input, which cannot be mapped; use a file (./- for one of that name)");
    }
    std::string place = path_or_url(text);
    if (!may_be_url && is_url(place)) {
      throw Error(
          ErrorKind::usage,
          "URLs are read by crivo query, get, info and verify; crivo fetch brings published "
          "files here");
    }
    return place;
  });
}

}  // namespace

CLI::Validator mapped_path() {
  return mapped(false);
}

CLI::Validator mapped_path_or_url() {
  return mapped(true);
}

CLI::Validator output_path() {
  return conversion([](const std::string& text) {
    if (text == "-") {
      refuse(text,
             "means standard output, but an output is not written from front to back; use a file "
             "(./- for one of that name)");
    }
    return text;
  });
}

std::string nearest(std::string_view word, std::span<const std::string> names) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : names) {
    // One that was merely cut short is as near as one with a wrong letter.
    const bool begins = word.size() >= 2 && name.starts_with(word);
    const std::size_t distance = begins ? 1 : edit_distance(word, name);
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best;
}

std::string shown(std::string_view text) {
  constexpr std::size_t kShown = 40;
  std::string quoted = "\"" + std::string(text.substr(0, kShown));
  if (text.size() > kShown) {  // no part of a letter
    while ((quoted.back() & 0x80) != 0) quoted.pop_back();
  }
  return quoted + (text.size() > kShown ? "...\"" : "\"");
}

}  // namespace crivo::cli
