// SPDX-License-Identifier: Apache-2.0
#include "stream/spill_log.hpp"

#include <algorithm>
#include <cstring>

#include "base/arithmetic.hpp"

namespace crivo::stream {
namespace {

/// Pieces as large as a disk needs to be written at its full rate.
constexpr std::size_t kWriteBytes = std::size_t{2} << 20;

}  // namespace

void SpillLog::go_on_from(std::uint64_t bytes) {
  file_.go_on_from(bytes);
}

Extent SpillLog::append(std::span<const std::byte> bytes) {
  if (buffer_.size() == 0) buffer_ = base::PageBuffer(kWriteBytes);
  const Extent extent{this->bytes(), bytes.size()};
  while (!bytes.empty()) {
    const std::size_t some = std::min(bytes.size(), buffer_.size() - buffered_);
    std::memcpy(buffer_.data() + buffered_, bytes.data(), some);
    buffered_ += some;
    bytes = bytes.subspan(some);
    if (buffered_ == buffer_.size()) write_buffer(buffered_);
  }
  return extent;
}

void SpillLog::write_buffer(std::size_t bytes) {
  file_.append({buffer_.data(), bytes});
  buffered_ = 0;
}

void SpillLog::flush() {
  if (buffered_ == 0) return;
  // To the end of a page, which direct writing asks for; what comes next begins behind it.
  const std::size_t whole = base::align_up(buffered_, base::PageBuffer::kPage);
  std::memset(buffer_.data() + buffered_, 0, whole - buffered_);
  write_buffer(whole);
}

void SpillLog::sync() {
  flush();
  file_.sync();
}

Extent SpillLog::pages_of(const Extent& extent) noexcept {
  const std::uint64_t begin = extent.offset / base::PageBuffer::kPage * base::PageBuffer::kPage;
  return {begin, base::align_up(extent.offset + extent.bytes, base::PageBuffer::kPage) - begin};
}

void SpillLog::read(const Extent& extent, std::byte* pages) const {
  const Extent whole = pages_of(extent);
  file_.read_at(whole.offset, {pages, whole.bytes});
}

}  // namespace crivo::stream
