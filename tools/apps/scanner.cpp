// SPDX-License-Identifier: Apache-2.0
#include "apps/scanner.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace crivo::apps {
namespace {

constexpr std::size_t kClasses = 64;
/// possible() may read so much beyond the text.
constexpr std::size_t kPadding = 4;
constexpr std::size_t kLongPrefix = 4;

template <typename Word>
Word load(const char* text) noexcept {
  Word word;
  std::memcpy(&word, text, sizeof word);
  return word;
}

constexpr std::uint32_t mixed(std::uint32_t prefix) noexcept {
  return prefix * 0x9e3779b1U;
}

}  // namespace

Scanner::Scanner(const StringIndex& index, bool counts_lines)
    : index_(index), counts_lines_(counts_lines) {
  const auto& groups = index.groups();
  std::size_t long_strings = 0;
  for (const auto& group : groups) {
    if (group.length >= kLongPrefix) long_strings += group.count;
  }
  // Sparse, so that most places are told apart by their prefix; small enough for a cache.
  const unsigned bits =
      std::clamp(static_cast<unsigned>(std::bit_width(8 * long_strings)), 14U, 20U);
  long_lengths_.resize(std::size_t{1} << bits);
  long_shift_ = 32 - bits;
  if (!groups.empty() && groups.front().length < kLongPrefix) short_lengths_.resize(1U << 16);
  const std::size_t classes = std::min(groups.size(), kClasses);
  for (std::size_t c = 0; c <= classes; ++c) {
    class_begin_.push_back(classes == 0 ? 0 : c * groups.size() / classes);
  }
  for (std::size_t c = 0; c < classes; ++c) {
    for (std::size_t i = class_begin_[c]; i < class_begin_[c + 1]; ++i) {
      for (std::size_t j = 0; j < groups[i].count; ++j) {
        add_prefix(index.string(groups[i], j), Lengths{1} << c);
      }
    }
  }
  const std::size_t chunk = std::max(index.longest(), std::size_t{1} << 18);
  buffer_.resize(index.longest() + chunk + kPadding);
  prints_.resize(buffer_.size());
}

void Scanner::add_prefix(std::string_view string, Lengths lengths) {
  if (string.size() >= kLongPrefix) {
    long_lengths_[mixed(load<std::uint32_t>(string.data())) >> long_shift_] |= lengths;
  } else if (string.size() > 1) {
    short_lengths_[load<std::uint16_t>(string.data())] |= lengths;
  } else {
    for (int next = 0; next < 256; ++next) {
      const char two[] = {string[0], static_cast<char>(next)};
      short_lengths_[load<std::uint16_t>(two)] |= lengths;
    }
  }
}

Scanner::Lengths Scanner::possible(const char* text) const noexcept {
  const Lengths lengths = long_lengths_[mixed(load<std::uint32_t>(text)) >> long_shift_];
  return short_lengths_.empty() ? lengths : lengths | short_lengths_[load<std::uint16_t>(text)];
}

void Scanner::scan(Input& input, const std::function<void(const Match&)>& visit) {
  filled_ = 0;
  offset_ = 0;
  line_ = 1;
  keep_from(0);
  for (bool at_end = false; !at_end;) {
    const std::size_t room = buffer_.size() - kPadding - filled_;
    const std::size_t got = input.read({buffer_.data() + filled_, room});
    at_end = got < room;
    filled_ += got;
    counts_.bytes += got;
    // Before the end, a string may begin so late that the buffer has only a part of it.
    const std::size_t limit = at_end ? filled_ : filled_ - std::min(filled_, index_.longest());
    std::size_t at = 0;
    while (at < limit) {
      if (possible(&buffer_[at]) == 0) {
        ++at;
        continue;
      }
      const std::size_t length = match_at(at);
      if (length == 0) {
        ++at;
        continue;
      }
      if (counts_lines_) {
        line_ += static_cast<std::uint64_t>(std::count(&buffer_[counted_], &buffer_[at], '\n'));
        counted_ = at;
      }
      visit({.offset = offset_ + at,
             .line = counts_lines_ ? line_ : 0,
             .text = {&buffer_[at], length}});
      ++counts_.found;
      at += length;
    }
    keep_from(at);
  }
}

/// The length of the longest string that stands there, or 0.
std::size_t Scanner::match_at(std::size_t at) {
  Lengths lengths = possible(&buffer_[at]);
  while (lengths != 0) {
    const auto longest = static_cast<std::size_t>(std::bit_width(lengths)) - 1;
    lengths ^= Lengths{1} << longest;
    for (std::size_t i = class_begin_[longest + 1]; i-- > class_begin_[longest];) {
      const StringIndex::Group& group = index_.groups()[i];
      if (at + group.length > filled_) continue;
      const std::uint64_t print = print_of(at, group);
      ++counts_.windows;
      if (!index_.may_hold(print)) continue;
      ++counts_.passed;
      if (index_.holds(group, print, {&buffer_[at], group.length})) return group.length;
    }
  }
  return 0;
}

/// The fingerprint of the window there. Those of the text's beginnings are kept from the first
/// place asked for to the furthest, so that each byte is read once, however many windows it is in.
std::uint64_t Scanner::print_of(std::size_t at, const StringIndex::Group& group) {
  if (printed_ < at) {
    printed_ = at;
    prints_[at] = 0;
  }
  const std::size_t end = at + group.length;
  for (; printed_ < end; ++printed_) {
    prints_[printed_ + 1] = fingerprint::append(prints_[printed_], buffer_[printed_]);
  }
  return fingerprint::without(prints_[end], prints_[at], group.power);
}

void Scanner::keep_from(std::size_t at) {
  if (counts_lines_) {
    line_ += static_cast<std::uint64_t>(std::count(&buffer_[counted_], &buffer_[at], '\n'));
  }
  std::memmove(buffer_.data(), &buffer_[at], filled_ - at);
  filled_ -= at;
  offset_ += at;
  counted_ = 0;
  printed_ = 0;
  prints_[0] = 0;
}

}  // namespace crivo::apps
