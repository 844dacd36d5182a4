// SPDX-License-Identifier: Apache-2.0
/// Writes the bytes of a commit behind the end of a log.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "hashing/stream_hash.hpp"

namespace crivo::records {

/// Writes all of `bytes` at a place of a file that messages call `path`. Throws Error(io).
void write_in(const base::FileDescriptor& file, const std::filesystem::path& path,
              std::uint64_t place, base::ByteView bytes);

/// The head is written last, so that a commit that is cut short has none. A short commit takes one
/// write. Throws Error(io).
class LogAppender {
 public:
  /// `file`, which messages call `path`, outlives this.
  LogAppender(const base::FileDescriptor& file, std::filesystem::path path, std::uint64_t begin);

  /// Where the next byte goes in the file.
  std::uint64_t place() const noexcept { return flushed_ + buffer_.size(); }
  void append(base::ByteView bytes);
  /// Writes all that is left. Last call.
  void finish(std::uint64_t commit, std::uint64_t record_length);

 private:
  void flush();

  const base::FileDescriptor& file_;
  std::filesystem::path path_;
  std::uint64_t begin_;
  std::uint64_t flushed_;  ///< the place of the buffer
  base::Bytes buffer_;
  hashing::StreamHash hash_;  ///< of all that was flushed but the head
};

}  // namespace crivo::records
