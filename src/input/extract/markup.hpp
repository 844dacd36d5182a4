// SPDX-License-Identifier: Apache-2.0
/// The text between tags.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "input/extract/term_splitter.hpp"

namespace crivo::extract {

/// Hands over the text of SGML or HTML, which comes piece by piece, without tags, comments, scripts
/// and styles. An entity (`&name;`) divides terms, as a tag does.
class MarkupText {
 public:
  explicit MarkupText(TermSplitter& terms) : terms_(terms) {}

  void add(std::string_view piece, std::uint64_t offset);

 private:
  enum class Place { text, entity, tag, comment, hidden };

  void add(char c, std::uint64_t offset);
  void begin_tag(char c);
  void end_tag();
  /// Of what is hidden: whether its end tag has come.
  bool ends_hidden(char c);

  TermSplitter& terms_;
  Place place_ = Place::text;
  std::string tag_;     ///< the beginning of the one at hand, in lower case
  std::string hidden_;  ///< the element whose end is awaited: "script" or "style"
  unsigned dashes_ = 0;
};

}  // namespace crivo::extract
