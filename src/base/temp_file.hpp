// SPDX-License-Identifier: Apache-2.0
/// Files that hold what a build has no memory for.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <span>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "base/once.hpp"

namespace crivo::base {

/// A file that is written while a build is at work, and read at any place. No name leads to it, and
/// it vanishes when it is closed, even by a kill; unless it is given a name, under which it
/// outlives the process, so that another can go on behind what it holds. The file is made with the
/// first bytes. All members but go_on_from() may be called from any thread.
class TempFile {
 public:
  enum class Caching {
    usual,
    /// Past the page cache, where the file system allows it: places and sizes, in the file and in
    /// memory, are whole pages.
    none,
  };

  /// In `directory`; or the file `name`, where there is one.
  explicit TempFile(std::filesystem::path directory, std::filesystem::path name = {},
                    Caching caching = Caching::usual);

  /// Sets so many bytes apart behind all others, and returns where they begin. Throws Error(io).
  std::uint64_t take(std::uint64_t bytes);
  /// Writes where bytes were set apart. Throws Error(io): a full disk above all.
  void write_at(std::uint64_t offset, ByteView bytes) const { file_.write_at(offset, bytes); }
  /// Both; returns where the bytes begin.
  std::uint64_t append(ByteView bytes);

  /// Reads what was written. Throws Error(io); where the file is shorter, as fail_damaged() does if
  /// it has a name.
  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const;
  /// Makes all that was written durable, if there is a file. Throws Error(io).
  void sync() const;

  /// Goes on behind the first `bytes` of what stands under the name; nothing was written yet.
  /// Throws Error(corrupt) if that is shorter, Error(io).
  void go_on_from(std::uint64_t bytes);

  /// Throws Error(corrupt): the file does not hold what was written to it.
  [[noreturn]] void fail_damaged() const;

  /// For who maps what was written; nothing is open before the first bytes.
  const FileDescriptor& descriptor() const noexcept { return file_; }

  bool has_name() const noexcept { return !name_.empty(); }
  /// How many bytes were set apart: the size of the file.
  std::uint64_t bytes() const noexcept { return end_.load(std::memory_order_relaxed); }

 private:
  void open();

  std::filesystem::path directory_;
  std::filesystem::path name_;
  Caching caching_;
  Once opened_;
  FileDescriptor file_;
  std::atomic<std::uint64_t> end_{0};
};

}  // namespace crivo::base
