/// Outputs that appear whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "file/bytes.hpp"

namespace crivo::file {

/// What to do where the output's name is taken.
enum class IfExists {
  refuse,   ///< Error(usage)
  replace,  ///< the old output stays whole until the new one takes its name at once
};

/// Throws Error(usage) if `path` is taken and may not be replaced, or cannot name an output: called
/// before the work begins, since publishing checks again only at its end. A directory is replaced only
/// if it holds nothing but files named in `replaceable`.
void check_output_file(const std::filesystem::path& path, IfExists if_exists);
void check_output_directory(const std::filesystem::path& path, IfExists if_exists,
                            const std::vector<std::string>& replaceable);

/// A file being written that has no name yet: however the process ends, nothing of it is left. (On a
/// file system without unnamed files it has a hidden name, and only a killed process leaves it.)
class PendingFile {
 public:
  /// A file on the file system of the output `path`; throws Error(io).
  explicit PendingFile(const std::filesystem::path& path);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  /// Writes all of `bytes`; throws Error(io), for a full disk above all.
  void write_at(std::uint64_t offset, ByteView bytes);
  /// The output that the file is for; what messages name.
  const std::filesystem::path& output() const noexcept { return output_; }
  /// A name under which this process can open the file once more.
  std::filesystem::path path_to_open() const;

  /// Makes the content durable, then gives the file its name `path`, at once and durably. Call once.
  void publish(const std::filesystem::path& path, IfExists if_exists);

 private:
  friend void publish_directory(const std::filesystem::path& path, IfExists if_exists,
                                const std::vector<std::string>& replaceable,
                                const std::vector<std::pair<std::string, PendingFile*>>& members);

  void sync();
  void link_as(const std::filesystem::path& path);
  [[noreturn]] void fail(const char* action) const;

  std::filesystem::path output_;          ///< for messages
  std::filesystem::path temporary_name_;  ///< empty while the file has no name
  int fd_ = -1;
};

/// Makes a directory `path` of the pending files, by their names in it, at once and durably.
/// An old directory is replaced as check_output_directory says.
void publish_directory(const std::filesystem::path& path, IfExists if_exists,
                       const std::vector<std::string>& replaceable,
                       const std::vector<std::pair<std::string, PendingFile*>>& members);

/// Appends to a pending file through a buffer.
class Appender {
 public:
  explicit Appender(PendingFile& file);

  void append(ByteView bytes);
  std::uint64_t size() const noexcept { return flushed_ + buffer_.size(); }
  /// Hands what is buffered to the file.
  void flush();

 private:
  PendingFile& file_;
  Bytes buffer_;
  std::uint64_t flushed_ = 0;
};

}  // namespace crivo::file
