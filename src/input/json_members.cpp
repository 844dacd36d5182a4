// SPDX-License-Identifier: Apache-2.0
#include "input/json_members.hpp"

#include <bitset>
#include <charconv>
#include <string>

#include "crivo/error.hpp"
#include "input/places.hpp"

namespace crivo::input {
namespace {

constexpr std::size_t kMostDepth = 512;

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

/// Goes through a line once, from front to back.
class JsonScan {
 public:
  JsonScan(std::string_view line, const Place& place) : line_(line), place_(place) {}

  /// A character that is not white space; '\0' at the end of the line.
  char peek() noexcept {
    while (at_ < line_.size() &&
           (line_[at_] == ' ' || line_[at_] == '\t' || line_[at_] == '\r' || line_[at_] == '\n')) {
      ++at_;
    }
    return at_ < line_.size() ? line_[at_] : '\0';
  }

  void expect(char c, const char* name) {
    if (peek() != c || at_ == line_.size()) fail(std::string("expected ") + name);
    ++at_;
  }

  bool take(char c) noexcept {
    if (peek() != c || at_ == line_.size()) return false;
    ++at_;
    return true;
  }

  std::size_t at() const noexcept { return at_; }
  std::string_view from(std::size_t begin) const noexcept {
    return line_.substr(begin, at_ - begin);
  }

  JsonText string() {
    expect('"', "a string");
    JsonText found;
    const std::size_t begin = at_;
    bool ascii = true;
    for (; at_ < line_.size() && line_[at_] != '"'; ++at_) {
      const auto byte = static_cast<unsigned char>(line_[at_]);
      if (byte < 0x20) fail("a control character in a string");
      ascii = ascii && byte < 0x80;
      if (byte == '\\') {
        found.has_escapes = true;
        escape();
      }
    }
    found.text = from(begin);
    if (at_ == line_.size()) fail("a string that does not end");
    if (!ascii && !is_utf8(found.text)) fail("a string that is not UTF-8");
    ++at_;
    return found;
  }

  /// Any value, with all that is in it.
  void value() {
    std::bitset<kMostDepth> in_object;  // of the values that are open, which are objects
    std::size_t depth = 0;
    while (true) {
      const bool opens_object = take('{');
      if (opens_object || take('[')) {
        if (depth == kMostDepth) fail("too many values in one another");
        in_object[depth++] = opens_object;
        if (!take(opens_object ? '}' : ']')) {
          if (opens_object) name();
          continue;
        }
        --depth;
      } else {
        scalar();
      }
      while (depth != 0 && !take(',')) {
        in_object[depth - 1] ? expect('}', "a comma or }") : expect(']', "a comma or ]");
        --depth;
      }
      if (depth == 0) return;
      if (in_object[depth - 1]) name();
    }
  }

  JsonText name() {
    const JsonText found = string();
    expect(':', "a colon");
    return found;
  }

  void end() {
    if (peek() != '\0' || at_ != line_.size()) fail("something behind the object");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputFault(place_,
                     "not JSON: " + what + ", at byte " + std::to_string(at_ + 1) + " of the line");
  }

 private:
  /// Behind a backslash; goes on to the last character.
  void escape() {
    ++at_;
    const char c = at_ < line_.size() ? line_[at_] : '\0';
    if (c == 'u') {
      for (int i = 0; i < 4; ++i) {
        ++at_;
        const char digit = at_ < line_.size() ? line_[at_] : '\0';
        const char lower = static_cast<char>(digit | 0x20);
        if (!is_digit(digit) && (lower < 'a' || lower > 'f')) fail("an invalid escape");
      }
    } else if (c == '\0' || std::string_view("\"\\/bfnrt").find(c) == std::string_view::npos) {
      fail("an invalid escape");
    }
  }

  void scalar() {
    const char c = peek();
    if (c == '"') {
      string();
    } else if (c == '-' || is_digit(c)) {
      number();
    } else {
      for (const std::string_view word : {"true", "false", "null"}) {
        if (!line_.substr(at_).starts_with(word)) continue;
        at_ += word.size();
        return;
      }
      fail("expected a value");
    }
  }

  void number() {
    if (line_[at_] == '-') ++at_;
    const std::size_t begin = at_;
    digits();
    if (line_[begin] == '0' && at_ - begin > 1) fail("a number that begins with 0");
    if (at_ < line_.size() && line_[at_] == '.') {
      ++at_;
      digits();
    }
    if (at_ < line_.size() && (line_[at_] == 'e' || line_[at_] == 'E')) {
      ++at_;
      if (at_ < line_.size() && (line_[at_] == '+' || line_[at_] == '-')) ++at_;
      digits();
    }
  }

  void digits() {
    if (at_ == line_.size() || !is_digit(line_[at_])) fail("expected a digit");
    while (at_ < line_.size() && is_digit(line_[at_])) ++at_;
  }

  std::string_view line_;
  const Place& place_;
  std::size_t at_ = 0;
};

bool is_named(const JsonText& found, std::string_view name, const Place& place) {
  if (!found.has_escapes) return found.text == name;
  std::string text(found.text.size(), '\0');
  text.resize(unescape_json(found.text, text.data(), place));
  return text == name;
}

/// Calls use(name, value, whether that is a string) for each member of an object.
template <typename Use>
void for_each_member(JsonScan& scan, const Use& use) {
  scan.expect('{', "an object");
  if (scan.take('}')) return;
  do {
    const JsonText name = scan.name();
    const bool is_string = scan.peek() == '"';
    const std::size_t from = scan.at();
    JsonText text;
    if (is_string) {
      text = scan.string();
    } else {
      scan.value();
      text.text = scan.from(from);
    }
    use(name, text, is_string);
  } while (scan.take(','));
  scan.expect('}', "a comma or }");
}

unsigned hex_number(std::string_view digits) noexcept {
  unsigned number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return number;
}

}  // namespace

JsonMembers json_members(std::string_view line, std::string_view key, std::string_view value,
                         const Place& place, bool takes_null) {
  JsonScan scan(line, place);
  JsonMembers found;
  bool has_key = false;
  bool has_value = value.empty();
  const auto note = [&](std::string_view name, bool& has) {
    if (has) throw InputFault(place, "the JSON object has more than one " + quote(name));
    has = true;
  };
  (void)scan.peek();
  const std::size_t begin = scan.at();
  for_each_member(scan, [&](const JsonText& name, JsonText text, bool is_string) {
    if (is_named(name, key, place)) {
      note(key, has_key);
      text.is_null = takes_null && !is_string && text.text == "null";
      if (!is_string && !text.is_null && !is_digit(text.text.back()))
        throw InputFault(place, "the JSON member " + quote(key) + " is no string and no number");
      found.key = text;
    }
    if (!value.empty() && is_named(name, value, place)) {
      note(value, has_value);
      found.value = text;
    }
  });
  if (value.empty()) found.value.text = scan.from(begin);
  scan.end();
  if (!has_key || !has_value)
    throw InputFault(place, "the JSON object has no " + quote(has_key ? value : key));
  return found;
}

std::optional<JsonText> json_member(std::string_view text, std::string_view name,
                                    const Place& place) {
  JsonScan scan(text, place);
  std::optional<JsonText> found;
  for_each_member(scan, [&](const JsonText& own, const JsonText& value, bool) {
    if (!is_named(own, name, place)) return;
    if (found) throw InputFault(place, "the JSON object has more than one " + quote(name));
    found = value;
  });
  scan.end();
  return found;
}

std::vector<std::string_view> json_items(std::string_view text, const Place& place) {
  JsonScan scan(text, place);
  std::vector<std::string_view> items;
  scan.expect('[', "an array");
  if (!scan.take(']')) {
    do {
      (void)scan.peek();
      const std::size_t begin = scan.at();
      scan.value();
      items.push_back(scan.from(begin));
    } while (scan.take(','));
    scan.expect(']', "a comma or ]");
  }
  scan.end();
  return items;
}

std::size_t unescape_json(std::string_view escaped, char* to, const Place& place) {
  constexpr std::string_view kNames = "bfnrt";
  constexpr std::string_view kMeant = "\b\f\n\r\t";
  char* const begin = to;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] != '\\') {
      *to++ = escaped[i];
      continue;
    }
    const char c = escaped[++i];
    if (c != 'u') {
      const std::size_t named = kNames.find(c);
      *to++ = named == std::string_view::npos ? c : kMeant[named];
      continue;
    }
    unsigned code = hex_number(escaped.substr(i + 1, 4));
    i += 4;
    if (code >= 0xd800 && code < 0xe000) {
      const std::string_view behind = escaped.substr(i + 1, 6);
      const unsigned low = behind.starts_with("\\u") ? hex_number(behind.substr(2)) : 0;
      if (code >= 0xdc00 || low < 0xdc00 || low >= 0xe000)
        throw InputFault(place, "a JSON string has half of a surrogate pair");
      code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
      i += 6;
    }
    to = put_utf8(code, to);
  }
  return static_cast<std::size_t>(to - begin);
}

}  // namespace crivo::input
