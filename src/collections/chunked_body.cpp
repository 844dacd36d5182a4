// SPDX-License-Identifier: Apache-2.0
#include "collections/chunked_body.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/trimmed.hpp"
#include "collections/record_reader.hpp"

namespace crivo::extract {
namespace {

/// A line with a size and what servers add to it is no longer.
constexpr std::size_t kMostSizeLine = 1024;

}  // namespace

void ChunkedBody::begin() {
  place_ = Place::line;
  line_.clear();
  is_behind_ = false;
}

std::string_view ChunkedBody::next(std::string_view& input) {
  while (!input.empty() && place_ != Place::ended) {
    if (place_ == Place::whole) return std::exchange(input, {});
    if (place_ == Place::chunk) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size()));
      const std::string_view bytes = input.substr(0, count);
      input.remove_prefix(count);
      left_ -= count;
      if (left_ == 0) place_ = Place::line;
      return bytes;
    }
    const std::size_t room = kMostSizeLine - line_.size();
    const std::size_t end = std::min({input.find('\n'), input.size() - 1, room - 1});
    line_ += input.substr(0, end + 1);
    input.remove_prefix(end + 1);
    if (line_.back() != '\n' && line_.size() < kMostSizeLine) continue;
    if (!read_size()) {
      place_ = Place::whole;
      return line_;
    }
    line_.clear();
  }
  input = {};
  return {};
}

bool ChunkedBody::read_size() {
  const std::string_view text = base::trimmed(std::string_view(line_).substr(0, line_.find(';')));
  if (text.empty() && std::exchange(is_behind_, false)) return true;
  constexpr int kHexadecimal = 16;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, left_, kHexadecimal);
  if (error != std::errc() || behind != end) return false;
  is_behind_ = true;
  place_ = left_ == 0 ? Place::ended : Place::chunk;
  return true;
}

std::string_view ChunkedBody::end() {
  return place_ == Place::line && !read_size() ? line_ : std::string_view();
}

}  // namespace crivo::extract
