// SPDX-License-Identifier: Apache-2.0
#include "collections/markup.hpp"

#include <algorithm>

#include "collections/character_reference.hpp"
#include "crivo/error.hpp"

namespace crivo::extract {
namespace {

/// Of a tag, what tells which it is: "/script" and "!--" are the longest.
constexpr std::size_t kTagName = 8;

bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_of_reference(char c) noexcept {
  return is_letter(c) || c == '#' || (c >= '0' && c <= '9');
}

bool is_white_space(char c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

char lowered(char c) noexcept {
  return is_letter(c) ? static_cast<char>(c | 0x20) : c;
}

}  // namespace

void MarkupText::begin(bool is_xml, std::uint64_t offset) {
  is_xml_ = is_xml;
  offset_ = offset;
  place_ = Place::text;
}

void MarkupText::add(std::string_view piece) {
  while (!piece.empty()) {
    if (place_ == Place::text) {
      const auto* const sign =
          std::ranges::find_if(piece, [](char c) { return c == '<' || c == '&'; });
      const auto text = static_cast<std::size_t>(sign - piece.begin());
      terms_.add(piece.substr(0, text), offset_);
      piece.remove_prefix(text);
      if (piece.empty()) return;
      add_text(piece.front());
    } else if (place_ == Place::hidden && tag_.empty()) {
      piece.remove_prefix(std::min(piece.find('<'), piece.size()));
      if (piece.empty()) return;
      add(piece.front());
    } else {
      add(piece.front());
    }
    piece.remove_prefix(1);
  }
}

void MarkupText::end() {
  if (place_ == Place::reference) go_on_in_reference('\n');
  terms_.end();
}

void MarkupText::add(char c) {
  switch (place_) {
    case Place::text:
      break;
    case Place::reference:
      go_on_in_reference(c);
      return;
    case Place::tag:
      go_on_in_tag(c);
      return;
    case Place::quoted:
      if (c == quote_) place_ = Place::tag;
      return;
    case Place::comment:
      if (c == '>' && dashes_ >= 2) place_ = Place::text;
      if (c == '-') {
        ++dashes_;
      } else if (c != '!' || dashes_ < 2) {  // "--!>" ends a comment, too
        dashes_ = 0;
      }
      return;
    case Place::hidden:
      if (ends_hidden(c)) place_ = Place::tag;
      return;
  }
}

void MarkupText::add_text(char c) {
  if (c != '<' && c != '&') {
    terms_.add({&c, 1}, offset_);
    return;
  }
  place_ = c == '&' ? Place::reference : Place::tag;
  if (c == '<') terms_.end();
  tag_.clear();
  before_ = c;
}

void MarkupText::go_on_in_reference(char c) {
  if (is_of_reference(c) && tag_.size() < kLongestReference) {
    tag_ += c;
    return;
  }
  place_ = Place::text;
  const bool ends = c == ';';
  if (const char32_t letter = referenced_letter(tag_, ends); letter != 0) {
    char bytes[4];
    const char* const end = put_utf8(letter, bytes);
    terms_.add({bytes, static_cast<std::size_t>(end - bytes)}, offset_);
  } else {
    terms_.end();
    // "AT&T" has no reference: what stands behind the sign is text.
    if (!ends) terms_.add(tag_, offset_);
  }
  if (!ends) add_text(c);
}

void MarkupText::go_on_in_tag(char c) {
  if (c == '>') {
    end_tag();
    return;
  }
  if (tag_.empty() && !is_letter(c) && c != '/' && c != '!' && c != '?') {
    place_ = Place::text;  // "a < b" has no tag
    add_text(c);
    return;
  }
  // A value may hold ">".
  if ((c == '"' || c == '\'') && before_ == '=' && is_letter(tag_.front())) {
    place_ = Place::quoted;
    quote_ = c;
  }
  if (tag_.size() < kTagName) tag_ += lowered(c);
  if (tag_ == "!--") {
    place_ = Place::comment;
    dashes_ = 2;  // "<!-->" is one
  }
  if (!is_white_space(c)) before_ = c;
}

void MarkupText::end_tag() {
  place_ = Place::text;
  if (is_xml_ && before_ == '/') return;
  for (const std::string_view element : {"script", "style"}) {
    const bool is_it = tag_.starts_with(element) &&
                       (tag_.size() == element.size() || !is_letter(tag_[element.size()]));
    if (!is_it) continue;
    hidden_ = element;
    tag_.clear();
    place_ = Place::hidden;
  }
}

bool MarkupText::ends_hidden(char c) {
  if (c == '<') {
    tag_ = "<";
  } else if (!tag_.empty()) {
    tag_ += lowered(c);
    const std::string end = "</" + hidden_;
    if (tag_ == end) {
      tag_ = "/";
      return true;
    }
    if (!end.starts_with(tag_)) tag_.clear();
  }
  return false;
}

}  // namespace crivo::extract
