// SPDX-License-Identifier: Apache-2.0
/// An open file that closes itself, read and written at offsets, with errors as Error(io); and a
/// name for what is open already.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace crivo::base {

/// Throws Error(io): "<what>: <the system's words for `error`>".
[[noreturn]] void throw_system_error(std::string_view what, int error);
/// The same of a file: "<file>: <what>: ...".
[[noreturn]] void throw_file_error(const std::string& file, std::string_view what, int error);

/// Owns a file descriptor. Movable; the offsets are explicit, so that several threads may share it.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  /// Opens a regular file to read; `name` is what messages call it. Throws Error(io).
  static FileDescriptor open_to_read(const std::filesystem::path& path);
  /// Opens the file of that name in an open directory, whatever leads to the directory by now, and
  /// whatever the file is. Messages call it `path`, of which the name is the last part. Throws
  /// Error(io).
  static FileDescriptor open_in(const FileDescriptor& directory, const std::filesystem::path& path);

  bool is_open() const noexcept { return fd_ >= 0; }
  int get() const noexcept { return fd_; }

  /// The length in bytes. Throws Error(io).
  std::uint64_t size() const;
  /// Fills `bytes` from `offset`; false if the file ends before. Throws Error(io) if reading fails.
  bool read_at(std::uint64_t offset, std::span<std::byte> bytes) const;
  /// Tells the system how the file is going to be read: whether more than is asked for is of use.
  enum class Access { at_random, in_order };
  void expect(Access access) const noexcept;
  /// Writes all of `bytes` at `offset`. Throws Error(io): a full disk among others.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) const;

 private:
  int fd_ = -1;
};

/// A name by which this process can open the file once more, whatever names it has by now; nothing
/// where /proc is not mounted, as in many a chroot.
inline std::optional<std::string> name_in_proc(const FileDescriptor& file) {
  std::string name = "/proc/self/fd/" + std::to_string(file.get());
  if (::access(name.c_str(), F_OK) != 0) return std::nullopt;
  return name;
}

}  // namespace crivo::base
