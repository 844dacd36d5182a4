/// Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "file/bytes.hpp"

namespace crivo::file {

/// What to do where the output's name is taken.
enum class IfExists {
  refuse,   ///< Error(usage)
  replace,  ///< the old file stays whole until the new one takes its name at once
};

/// Throws Error(usage) if `path` exists and may not be replaced (for early refusal), or if it cannot be
/// the name of an output of this sort at all.
void check_output(const std::filesystem::path& path, IfExists if_exists, bool directory);

/// Flushes a directory's entries to the disk; throws Error(io).
void sync_directory(const std::filesystem::path& directory);

/// The directory that `path` stands in.
std::filesystem::path parent_directory(const std::filesystem::path& path);

/// A file being written, without a name until commit(): however the process ends before, nothing of it
/// is left, and an old file of the name is as it was.
class OutputFile {
 public:
  /// Throws Error(usage) as check_output does, Error(io) if no file can be made in the directory.
  OutputFile(std::filesystem::path path, IfExists if_exists);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Appends; throws Error(io), for a full disk above all.
  void append(ByteView bytes);
  /// Writes over bytes that were appended before.
  void overwrite(std::uint64_t offset, ByteView bytes);
  std::uint64_t size() const noexcept { return flushed_ + buffer_.size(); }

  /// Makes the file durable, then gives it its name, durably too. Call once, last.
  void commit();

 private:
  void flush();
  void write_at(std::uint64_t offset, ByteView bytes);
  [[noreturn]] void fail(const char* action) const;

  std::filesystem::path path_;
  IfExists if_exists_;
  int fd_ = -1;
  std::filesystem::path temporary_name_;  ///< empty while the file has no name
  Bytes buffer_;
  std::uint64_t flushed_ = 0;
};

}  // namespace crivo::file
