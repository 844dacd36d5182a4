// SPDX-License-Identifier: Apache-2.0
#include "input/extract/markup.hpp"

#include <algorithm>

namespace crivo::extract {
namespace {

/// Of a tag, what tells which it is: "/script" and "!--" are the longest.
constexpr std::size_t kTagName = 8;

bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_of_entity(char c) noexcept {
  return is_letter(c) || c == '#' || (c >= '0' && c <= '9');
}

}  // namespace

void MarkupText::add(std::string_view piece, std::uint64_t offset) {
  while (!piece.empty()) {
    if (place_ == Place::text) {
      const std::size_t text = std::min(piece.find_first_of("<&"), piece.size());
      terms_.add(piece.substr(0, text), offset);
      piece.remove_prefix(text);
      if (piece.empty()) return;
      terms_.end();
      place_ = piece.front() == '<' ? Place::tag : Place::entity;
      tag_.clear();
    } else {
      add(piece.front(), offset);
    }
    piece.remove_prefix(1);
  }
}

void MarkupText::add(char c, std::uint64_t offset) {
  switch (place_) {
    case Place::text:
      break;
    case Place::entity:
      if (is_of_entity(c) && tag_.size() < 2 * kTagName) {
        tag_ += c;
        return;
      }
      place_ = Place::text;
      // "AT&T" has no entity: what stands behind the sign is text.
      if (c != ';') terms_.add(tag_, offset);
      if (c == '<') {
        terms_.end();
        place_ = Place::tag;
        tag_.clear();
      } else if (c != ';') {
        terms_.add({&c, 1}, offset);
      }
      return;
    case Place::tag:
      begin_tag(c);
      return;
    case Place::comment:
      if (c == '>' && dashes_ >= 2) place_ = Place::text;
      dashes_ = c == '-' ? dashes_ + 1 : 0;
      return;
    case Place::hidden:
      if (ends_hidden(c)) place_ = Place::tag;
      return;
  }
}

void MarkupText::begin_tag(char c) {
  if (c == '>') {
    end_tag();
    return;
  }
  if (tag_.empty() && !is_letter(c) && c != '/' && c != '!' && c != '?') {
    place_ = Place::text;  // "a < b" has no tag
    return;
  }
  if (tag_.size() < kTagName) tag_ += is_letter(c) ? static_cast<char>(c | 0x20) : c;
  if (tag_ == "!--") {
    place_ = Place::comment;
    dashes_ = 0;
  }
}

void MarkupText::end_tag() {
  place_ = Place::text;
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
    tag_ += is_letter(c) ? static_cast<char>(c | 0x20) : c;
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
