// SPDX-License-Identifier: Apache-2.0
/// The text between tags.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "collections/term_splitter.hpp"

namespace crivo::extract {

/// Hands over the text of SGML, HTML or XML, which comes piece by piece, without tags, comments,
/// scripts and styles. References to letters are those letters; any other, as a tag does, divides
/// terms. O(1) memory.
class MarkupText {
 public:
  explicit MarkupText(TermSplitter& terms) : terms_(terms) {}

  /// The text of the record at `offset` begins. In one of XML a tag `<script/>` hides nothing.
  void begin(bool is_xml, std::uint64_t offset);
  void add(std::string_view piece);
  void end();
  /// As TermSplitter::cut(): the text ends here, and lacks its end.
  void cut() noexcept {
    place_ = Place::text;
    terms_.cut();
  }

 private:
  enum class Place { text, reference, tag, quoted, comment, hidden };

  void add(char c);
  /// A byte of text, or one that begins something else.
  void add_text(char c);
  void go_on_in_reference(char c);
  void go_on_in_tag(char c);
  void end_tag();
  /// Whether the end tag of what is hidden has come.
  bool ends_hidden(char c);

  TermSplitter& terms_;
  bool is_xml_ = false;
  std::uint64_t offset_ = 0;
  Place place_ = Place::text;
  std::string tag_;     ///< the beginning of the one at hand in lower case, or a reference
  std::string hidden_;  ///< the element whose end is awaited: "script" or "style"
  unsigned dashes_ = 0;
  char quote_ = '\0';   ///< that the value at hand ends with
  char before_ = '\0';  ///< in a tag: the last byte that was no white space
};

}  // namespace crivo::extract
