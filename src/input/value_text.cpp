// SPDX-License-Identifier: Apache-2.0
#include "input/value_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "base/bytes.hpp"
#include "crivo/error.hpp"
#include "input/places.hpp"

namespace crivo::input {
namespace {

/// Names a value, for messages.
struct Wording {
  const char* kind;   ///< that it is not
  const char* range;  ///< and what it is where it is out of its range
};

constexpr Wording kUnsigned{"an unsigned integer", "is 2^64 or more"};
constexpr Wording kSigned{"an integer", "is not between -2^63 and 2^63 - 1"};
constexpr Wording kDecimal{"a number", "has too many digits for its scale"};

[[noreturn]] void refuse(std::string_view text, const std::string& why, const Place& place) {
  throw InputFault(place, "the value " + quote(text) + " " + why);
}

[[noreturn]] void refuse_form(std::string_view text, const Wording& wording, const Place& place) {
  refuse(text, std::string("is not ") + wording.kind + " in decimal digits", place);
}

/// The number, up to `most`, that all of `digits` are; `text` is what messages name.
std::uint64_t parse_digits(std::string_view digits, std::uint64_t most, std::string_view text,
                           const Wording& wording, const Place& place) {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, value);
  if (parsed.ec == std::errc::invalid_argument || parsed.ptr != end) {
    refuse_form(text, wording, place);
  }
  if (parsed.ec == std::errc::result_out_of_range || value > most) {
    refuse(text, wording.range, place);
  }
  return value;
}

/// The digits of a decimal, its point left out and filled up to `scale` digits behind it.
std::string scaled_digits(std::string_view number, unsigned scale, std::string_view text,
                          const Place& place) {
  const std::size_t point = number.find('.');
  std::string digits(number.substr(0, point));
  if (digits.empty()) refuse_form(text, kDecimal, place);
  if (point == std::string_view::npos) return digits + std::string(scale, '0');
  const std::string_view behind = number.substr(point + 1);
  if (behind.empty()) refuse_form(text, kDecimal, place);
  if (behind.size() > scale) {
    refuse(text, "has more than " + std::to_string(scale) + " digits after the point", place);
  }
  digits += behind;
  return digits.append(scale - behind.size(), '0');
}

std::uint64_t parse_signed(std::string_view text, const ValueForm& form, const Place& place) {
  const bool negative = text.starts_with('-');
  const std::string_view number = text.substr(negative ? 1 : 0);
  const std::uint64_t most = (std::uint64_t{1} << 63) - (negative ? 0 : 1);
  const std::uint64_t size = form.type == ValueType::decimal
                                 ? parse_digits(scaled_digits(number, form.scale, text, place),
                                                most, text, kDecimal, place)
                                 : parse_digits(number, most, text, kSigned, place);
  return base::zigzag(negative ? 0 - size : size);
}

std::uint64_t checked_width(std::uint64_t kept, unsigned bits, std::string_view text,
                            const Place& place) {
  if (bits < 64 && kept >> bits != 0) {
    throw InputFault(place, "the value " + std::string(text) + " does not fit in " +
                                std::to_string(bits) + (bits == 1 ? " bit" : " bits"));
  }
  return kept;
}

constexpr char kNul = '\0';
constexpr char kBehindNul = '\xff';
constexpr std::size_t kNumbers = 2;  // place and value
constexpr std::size_t kNumberBytes = sizeof(std::uint64_t);

void put(std::uint64_t number, std::string& to) {
  for (unsigned shift = 64; shift != 0;) to += static_cast<char>(number >> (shift -= 8));
}

std::uint64_t number_at(std::string_view bytes) noexcept {
  std::uint64_t number = 0;
  for (const char byte : bytes.substr(0, kNumberBytes))
    number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

[[noreturn]] void fail() {
  throw Error(ErrorKind::corrupt, "a temporary file of keys and values is damaged");
}

}  // namespace

std::uint64_t parse_value(std::string_view text, const ValueForm& form, unsigned bits,
                          const Place& place) {
  const std::uint64_t kept = form.type == ValueType::unsigned_integer
                                 ? parse_digits(text, UINT64_MAX, text, kUnsigned, place)
                                 : parse_signed(text, form, place);
  return checked_width(kept, bits, text, place);
}

std::uint64_t take_value(std::string_view bytes, const ValueForm& form, unsigned bits,
                         const Place& place) {
  if (bytes.empty() || bytes.size() > sizeof(std::uint64_t)) {
    throw InputFault(
        place, "the value has " + std::to_string(bytes.size()) + " bytes; a number has 1 to 8");
  }
  const bool is_signed = form.type != ValueType::unsigned_integer;
  const bool is_negative = is_signed && static_cast<signed char>(bytes.back()) < 0;
  std::array<char, sizeof(std::uint64_t)> whole;
  whole.fill(is_negative ? '\xff' : '\0');
  std::ranges::copy(bytes, whole.begin());
  const auto value = base::load_le<std::uint64_t>(whole.data());
  const std::uint64_t kept = is_signed ? base::zigzag(value) : value;
  if (bits < 64 && kept >> bits != 0)
    (void)checked_width(kept, bits, value_text(value, form), place);
  return kept;
}

void check_value_format(const KeyFormat& format) {
  if (!format.json_key.empty() && format.json_value.empty())
    throw Error(ErrorKind::usage, "a value of a JSON object needs the member that holds it",
                {.remedy = "json_value"});
}

void begin_text(std::string_view key, std::string& to) {
  to.clear();
  for (std::size_t nul = key.find(kNul); nul != key.npos; nul = key.find(kNul)) {
    to.append(key.substr(0, nul + 1));
    to += kBehindNul;
    key.remove_prefix(nul + 1);
  }
  to.append(key);
  to.append(2, kNul);
}

std::string_view read_begun_text(std::string_view text, std::string& key) {
  key.clear();
  while (true) {
    const std::size_t nul = text.find(kNul);
    if (nul == text.npos || nul + 1 == text.size()) fail();
    key.append(text.substr(0, nul));
    const char behind = text[nul + 1];
    text.remove_prefix(nul + 2);
    if (behind == kNul) return text;
    if (behind != kBehindNul) fail();
    key += kNul;
  }
}

void write_valued_text(std::string_view key, const TextValue& value, std::string& to) {
  begin_text(key, to);
  put(value.place, to);
  put(value.value, to);
}

TextValue read_valued_text(std::string_view text, std::string& key) {
  text = read_begun_text(text, key);
  if (text.size() != kNumbers * kNumberBytes) fail();
  return {.value = number_at(text.substr(kNumberBytes)), .place = number_at(text)};
}

std::uint64_t TextRecord::value_of(std::string_view record) {
  if (record.size() != sizeof(std::uint64_t))
    throw Error(ErrorKind::corrupt, "damaged: a key that was kept has no value");
  return base::load_le<std::uint64_t>(record.data());
}

}  // namespace crivo::input
