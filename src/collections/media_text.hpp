// SPDX-License-Identifier: Apache-2.0
/// The text of a document of a media type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "collections/markup.hpp"
#include "collections/term_splitter.hpp"

namespace crivo::extract {

/// A field of a header without white space around it and with A to Z as a to z.
std::string folded_field(std::string_view text);

/// Takes bytes into `head` until that has `wanted`; returns whether it has.
bool fill_head(std::string& head, std::size_t wanted, std::string_view& bytes);

/// Divides documents, which come piece by piece, into terms: HTML, XHTML and XML as MarkupText
/// does, text/plain as it is. Those of other types have none; where the type is not told, it is
/// markup if it begins with "<". A byte order mark of UTF-8 is left out.
class MediaText {
 public:
  explicit MediaText(TermSplitter& terms) : terms_(terms), markup_(terms) {}

  /// A document of the record at `offset` begins: false if its type has no text. Parameters may
  /// follow the type, and it may be empty.
  bool begin(std::string_view media_type, std::uint64_t offset);
  void add(std::string_view piece);
  /// It ends, or lacks its end: then a term that stands last is left out.
  void end(bool is_whole);

 private:
  enum class Kind { none, plain, html, xml, unknown };

  static Kind kind_of(std::string_view media_type);
  /// Looks at the first bytes, and takes them.
  void open();
  void take(std::string_view piece);

  TermSplitter& terms_;
  MarkupText markup_;
  Kind kind_ = Kind::none;
  std::uint64_t offset_ = 0;
  bool is_open_ = false;
  std::string head_;
};

}  // namespace crivo::extract
