// SPDX-License-Identifier: Apache-2.0
#include "stream/spill_log.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/lasting_log.hpp"

namespace crivo::stream {
namespace {

/// Pieces as large as a disk needs to be written at its full rate.
constexpr std::size_t kWriteBytes = std::size_t{2} << 20;

}  // namespace

PageBuffer::PageBuffer(std::size_t bytes) : size_(base::align_up(bytes, kPage)) {
  if (size_ == 0) return;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(kPage, size_)));
  if (!data_) throw std::bad_alloc();
}

void PageBuffer::Free::operator()(std::byte* data) const noexcept {
  std::free(data);
}

SpillLog SpillLog::named(std::filesystem::path path) {
  SpillLog log(path.parent_path());
  log.name_ = std::move(path);
  return log;
}

void SpillLog::go_on_from(std::uint64_t bytes) {
  open();
  base::cut_lasting_log(file_, name_, bytes);
  written_ = bytes;
}

void SpillLog::open() {
  file_ =
      name_.empty() ? base::FileDescriptor::unnamed_in(directory_) : base::open_lasting_log(name_);
  // tmpfs and some others refuse; then the page cache it is.
  const int flags = ::fcntl(file_.get(), F_GETFL);
  if (flags >= 0) (void)::fcntl(file_.get(), F_SETFL, flags | O_DIRECT);
  buffer_ = PageBuffer(kWriteBytes);
}

Extent SpillLog::append(std::span<const std::byte> bytes) {
  if (!file_.is_open()) open();
  const Extent extent{written_ + buffered_, bytes.size()};
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
  file_.write_at(written_, {buffer_.data(), bytes});
  written_ += bytes;
  buffered_ = 0;
}

void SpillLog::flush() {
  if (buffered_ == 0) return;
  // To the end of a page, which direct writing asks for; what comes next begins behind it.
  const std::size_t whole = base::align_up(buffered_, PageBuffer::kPage);
  std::memset(buffer_.data() + buffered_, 0, whole - buffered_);
  write_buffer(whole);
}

void SpillLog::sync() {
  flush();
  if (file_.is_open()) base::sync_lasting_log(file_, name_);
}

Extent SpillLog::pages_of(const Extent& extent) noexcept {
  const std::uint64_t begin = extent.offset / PageBuffer::kPage * PageBuffer::kPage;
  return {begin, base::align_up(extent.offset + extent.bytes, PageBuffer::kPage) - begin};
}

void SpillLog::read(const Extent& extent, std::byte* pages) const {
  const Extent whole = pages_of(extent);
  if (!file_.read_at(whole.offset, {pages, whole.bytes})) {
    base::throw_system_error("a temporary file was cut short", EIO);
  }
}

}  // namespace crivo::stream
