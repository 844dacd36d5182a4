// SPDX-License-Identifier: Apache-2.0
#include "records/updates/build/log_appender.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "records/updates/update_log.hpp"

namespace crivo::records {

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

}  // namespace

void write_in(const base::FileDescriptor& file, const std::filesystem::path& path,
              std::uint64_t place, base::ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) base::throw_file_error(path.string(), "cannot write", errno);
    place += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

LogAppender::LogAppender(const base::FileDescriptor& file, std::filesystem::path path,
                         std::uint64_t begin)
    : file_(file),
      path_(std::move(path)),
      begin_(begin),
      flushed_(begin),
      buffer_(CommitHead::kBytes) {}

void LogAppender::append(base::ByteView bytes) {
  if (buffer_.size() + bytes.size() > kBuffer) flush();
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void LogAppender::flush() {
  const std::size_t head = flushed_ == begin_ ? CommitHead::kBytes : 0;
  hash_.add(base::ByteView(buffer_).subspan(head));
  write_in(file_, path_, flushed_, buffer_);
  flushed_ += buffer_.size();
  buffer_.clear();
}

void LogAppender::finish(std::uint64_t commit, std::uint64_t record_length) {
  CommitHead head{commit, place() - begin_, record_length, 0};
  const bool is_short = flushed_ == begin_;
  hash_.add(base::ByteView(buffer_).subspan(is_short ? CommitHead::kBytes : 0));
  head.check = hash_.value();
  const auto bytes = head.encode(begin_);
  if (is_short) std::ranges::copy(bytes, buffer_.begin());
  write_in(file_, path_, flushed_, buffer_);
  if (!is_short) write_in(file_, path_, begin_, bytes);
}

}  // namespace crivo::records
