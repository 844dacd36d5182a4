/// A temporary file that no name leads to, so that nothing is left of it however the process ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace crivo::util {

/// The directory for temporary files where the user names none: $TMPDIR, or /tmp.
std::filesystem::path default_temp_dir();

class TempFile {
 public:
  /// Throws Error(io) if no file can be made in `directory`.
  explicit TempFile(const std::filesystem::path& directory);
  ~TempFile();
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;

  /// Both move all bytes or throw Error(io); thread-safe.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  void read_at(std::uint64_t offset, std::span<std::byte> room) const;

 private:
  std::filesystem::path directory_;
  int fd_ = -1;
};

}  // namespace crivo::util
