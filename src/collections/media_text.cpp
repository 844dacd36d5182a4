// SPDX-License-Identifier: Apache-2.0
#include "collections/media_text.hpp"

#include <algorithm>

#include "base/trimmed.hpp"
#include "collections/record_reader.hpp"
#include "crivo/build/extract.hpp"
#include "input/first_page.hpp"

namespace crivo::extract {
namespace {

/// White space and a byte order mark that come before the first tag are hardly longer.
constexpr std::size_t kTextHead = 64;

}  // namespace

std::string folded_field(std::string_view text) {
  return keys::fold(base::trimmed(text));
}

bool fill_head(std::string& head, std::size_t wanted, std::string_view& bytes) {
  const std::size_t count = std::min(wanted - head.size(), bytes.size());
  head += bytes.substr(0, count);
  bytes.remove_prefix(count);
  return head.size() == wanted;
}

MediaText::Kind MediaText::kind_of(std::string_view media_type) {
  const std::string type = folded_field(media_type.substr(0, media_type.find(';')));
  if (type.empty()) return Kind::unknown;
  if (type == "text/html") return Kind::html;
  if (type == "text/plain") return Kind::plain;
  return type.ends_with("/xml") || type.ends_with("+xml") ? Kind::xml : Kind::none;
}

bool MediaText::begin(std::string_view media_type, std::uint64_t offset) {
  kind_ = kind_of(media_type);
  offset_ = offset;
  is_open_ = false;
  head_.clear();
  return kind_ != Kind::none;
}

void MediaText::add(std::string_view piece) {
  if (!is_open_) {
    if (!fill_head(head_, kTextHead, piece)) return;
    open();
  }
  take(piece);
}

void MediaText::end(bool is_whole) {
  if (!is_open_) open();
  if (!is_whole) markup_.cut();
  kind_ == Kind::plain ? terms_.end() : markup_.end();
  kind_ = Kind::none;
}

void MediaText::open() {
  is_open_ = true;
  std::string_view head = head_;
  if (head.starts_with(input::kByteOrderMark)) head.remove_prefix(input::kByteOrderMark.size());
  if (kind_ == Kind::unknown)
    kind_ = base::trimmed(head).starts_with('<') ? Kind::html : Kind::none;
  markup_.begin(kind_ == Kind::xml, offset_);
  take(head);
}

void MediaText::take(std::string_view piece) {
  if (kind_ == Kind::plain) {
    terms_.add(piece, offset_);
  } else if (kind_ != Kind::none) {
    markup_.add(piece);
  }
}

}  // namespace crivo::extract
