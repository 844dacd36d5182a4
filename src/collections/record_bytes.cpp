// SPDX-License-Identifier: Apache-2.0
#include "collections/record_bytes.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "crivo/error.hpp"
#include "input/parallel_bytes.hpp"

namespace crivo::extract {
namespace {

constexpr std::size_t kWindowBytes = std::size_t{512} << 10;

}  // namespace

RecordBytes::RecordBytes(const std::string& path, unsigned threads)
    : path_(path),
      file_(path),
      opened_(input::open_bytes(path, file_, threads)),
      buffer_(kWindowBytes) {}

bool RecordBytes::read_more() {
  if (ended_) return false;
  if (end_ == buffer_.size()) {
    if (begin_ != 0) {
      std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.end(),
                buffer_.begin());
      end_ -= begin_;
      begin_ = 0;
    } else {
      buffer_.resize(2 * buffer_.size());
    }
  }
  std::size_t got = 0;
  try {
    got = opened_.bytes->read(std::span(buffer_).subspan(end_));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw;
    damage_ = error.what();
  }
  end_ += got;
  const auto start = opened_.bytes->stream_start();
  if (start && (stream_starts_.empty() || stream_starts_.back() != *start) && *start >= offset_)
    stream_starts_.push_back(*start);
  ended_ = got == 0;
  return !ended_;
}

std::string_view RecordBytes::peek(std::size_t wanted) {
  while (end_ - begin_ < wanted && read_more()) continue;
  return {buffer_.data() + begin_, std::min(wanted, end_ - begin_)};
}

std::string_view RecordBytes::peek_line(std::size_t most, char delimiter) {
  std::size_t seen = 0;
  while (true) {
    const std::size_t held = std::min(end_ - begin_, most);
    if (held != seen) {
      const char* const text = buffer_.data() + begin_;
      if (const void* const found = std::memchr(text + seen, delimiter, held - seen))
        return {text, static_cast<std::size_t>(static_cast<const char*>(found) - text) + 1};
    }
    if (held == most || !read_more()) return {buffer_.data() + begin_, held};
    seen = held;
  }
}

std::uint64_t RecordBytes::skip(std::uint64_t count) {
  std::uint64_t skipped = 0;
  while (skipped != count) {
    const std::uint64_t now = std::min<std::uint64_t>(count - skipped, end_ - begin_);
    begin_ += static_cast<std::size_t>(now);
    offset_ += now;
    skipped += now;
    if (begin_ == end_) {
      begin_ = end_ = 0;
      if (skipped != count && !read_more()) break;
    }
  }
  while (!stream_starts_.empty() && stream_starts_.front() < offset_) stream_starts_.pop_front();
  return skipped;
}

bool RecordBytes::skip_line(char delimiter) {
  while (true) {
    const std::string_view some = peek_line(kWindowBytes, delimiter);
    const bool ends = some.ends_with(delimiter);
    if (some.empty()) return false;
    skip(some.size());
    if (ends) return true;
  }
}

bool RecordBytes::at_compressed() {
  return input::begins_compressed(peek(input::kMaxMagicBytes));
}

std::optional<std::uint64_t> RecordBytes::stream_start_behind(std::uint64_t offset) const noexcept {
  const auto found = std::ranges::upper_bound(stream_starts_, offset);
  if (found == stream_starts_.end()) return std::nullopt;
  return *found;
}

bool RecordBytes::at_stream_start() const noexcept {
  return std::ranges::binary_search(stream_starts_, offset_);
}

}  // namespace crivo::extract
