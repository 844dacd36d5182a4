// SPDX-License-Identifier: Apache-2.0
/// The one temporary file of a key stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "base/memory.hpp"
#include "base/temp_file.hpp"

namespace crivo::stream {

/// A run of bytes in a SpillLog.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// An append-only temporary file, written in large pieces and read at any place, past the page
/// cache where the file system allows it: what is spilled would drive everything else out of the
/// cache, and a memory limit of the process's group counts it. One thread at a time appends; any
/// number read what was flushed.
class SpillLog {
 public:
  /// In `directory`; or under `name`, where there is one: that stays after this, and what stood
  /// there is gone.
  explicit SpillLog(std::filesystem::path directory, std::filesystem::path name = {})
      : file_(std::move(directory), std::move(name), base::TempFile::Caching::none) {}

  /// Goes on behind the first `bytes` of what stands under the log's name; nothing was appended
  /// yet. Throws Error(corrupt) if that is shorter, Error(io).
  void go_on_from(std::uint64_t bytes);

  /// Appends. Throws Error(io): a full disk above all.
  Extent append(std::span<const std::byte> bytes);
  /// Hands all that was appended to the file, so that it can be read. Appending may go on.
  void flush();
  /// The same, and durably.
  void sync();

  /// The whole pages that `extent` lies in.
  static Extent pages_of(const Extent& extent) noexcept;
  /// Reads them to `pages`, which is at a page's begin too. Throws Error(io).
  void read(const Extent& extent, std::byte* pages) const;

  /// How much was appended.
  std::uint64_t bytes() const noexcept { return file_.bytes() + buffered_; }
  /// The size of the file, whole pages.
  std::uint64_t file_bytes() const noexcept { return file_.bytes(); }
  /// Throws Error(corrupt): the file does not hold what was appended.
  [[noreturn]] void fail_damaged() const { file_.fail_damaged(); }

 private:
  void write_buffer(std::size_t bytes);

  base::TempFile file_;
  base::PageBuffer buffer_;
  std::size_t buffered_ = 0;
};

}  // namespace crivo::stream
