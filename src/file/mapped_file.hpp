/// A file's bytes, mapped into memory for reading.
#pragma once

#include <filesystem>

#include "file/bytes.hpp"

namespace crivo::file {

class MappedFile {
 public:
  /// Maps the whole file; throws Error(io) if it cannot be read, Error(corrupt) if it is no regular file.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  ByteView bytes() const noexcept { return bytes_; }

 private:
  ByteView bytes_;
};

}  // namespace crivo::file
