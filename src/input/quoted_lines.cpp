// SPDX-License-Identifier: Apache-2.0
#include "input/quoted_lines.hpp"

#include <algorithm>

namespace crivo::input {

std::size_t QuotedLines::next_end(std::string_view bytes) noexcept {
  while (at_ < bytes.size()) {
    if (state_ == State::quoted) {
      const std::size_t quote = bytes.find('"', at_);
      at_ = std::min(quote, bytes.size() - 1) + 1;
      if (quote != std::string_view::npos) state_ = State::quote;
      continue;
    }
    if (state_ == State::line) {  // most have no quotes at all
      const std::size_t end = bytes.find('\n', at_);
      if (end != std::string_view::npos &&
          bytes.substr(at_, end - at_).find('"') == std::string_view::npos) {
        at_ = end + 1;
        return found(end);
      }
      state_ = State::column;
    }
    if (bytes[at_] == '"' && state_ != State::plain) {
      state_ = State::quoted;
      ++at_;
      continue;
    }
    state_ = State::plain;
    while (at_ < bytes.size() && bytes[at_] != delimiter_ && bytes[at_] != '\n') ++at_;
    if (at_ == bytes.size()) break;
    const bool ends = bytes[at_++] == '\n';
    state_ = ends ? State::line : State::column;
    if (ends) return found(at_ - 1);
  }
  return bytes.size();
}

std::size_t QuotedLines::found(std::size_t end) noexcept {
  whole_ = end + 1;
  ++lines_;
  return end;
}

std::size_t QuotedLines::whole(std::string_view bytes) noexcept {
  while (next_end(bytes) != bytes.size()) continue;
  return whole_;
}

}  // namespace crivo::input
