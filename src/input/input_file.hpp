// SPDX-License-Identifier: Apache-2.0
/// A file, a pipe or the output of a command, as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/file_descriptor.hpp"
#include "stream/shell_command.hpp"

namespace crivo::input {

struct Sources;

/// An input that is open for reading; standard input stays open after it.
class InputFile {
 public:
  /// Opens `path` ("-" is standard input) for reading; throws Error(io) if it cannot be read.
  explicit InputFile(const std::string& path);
  /// Opens the file of that number, or starts the command.
  InputFile(const Sources& sources, std::size_t number);

  const std::string& name() const noexcept { return name_; }
  /// A regular file can be read at any offset, by several threads, and again.
  bool is_regular() const noexcept { return regular_; }
  /// The bytes from the start position to the end; regular files only.
  std::uint64_t size() const noexcept { return size_; }
  /// Reads up to `room.size()` bytes at `offset` from the start position; short only at the end of
  /// the file. Regular files only. Thread-safe.
  std::size_t read_at(std::uint64_t offset, std::span<char> room) const;
  /// Reads some of the next bytes: 0 only at the end. Throws Error(bad_input) where a command has
  /// failed.
  std::size_t read(std::span<char> room);
  /// From here on `offset` from the start position is the start position. Regular files only;
  /// before anything is read.
  void start_at(std::uint64_t offset) noexcept;

 private:
  void open(const std::string& path);
  void end_command();

  std::string name_;
  std::unique_ptr<stream::ShellCommand> command_;
  base::FileDescriptor file_;  ///< no command's
  bool regular_ = false;
  bool ended_ = false;       ///< the command
  std::uint64_t start_ = 0;  ///< where a redirected standard input stood
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace crivo::input
