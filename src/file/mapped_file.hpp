// SPDX-License-Identifier: Apache-2.0
/// A file's bytes in memory, for reading.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "crivo/open.hpp"

namespace crivo::file {

/// How the bytes get there: as one of the ways to open a file for lookups; for a pass over the
/// whole of it, of which the system reads ahead; or as a mapping in which changes of the file show.
/// Only `lock` and `live` map a file of kReadBytes or fewer.
enum class Loading { mapped, preload, lock, copy, read, for_a_pass, live };

/// Whether that is a copy, of a file that is not read by pages.
constexpr bool copies(Loading loading) noexcept {
  return loading == Loading::copy || loading == Loading::read;
}

/// A file of so many bytes or fewer is read: that takes less time than a mapping does, which is one
/// of a limited number of each process (vm.max_map_count).
inline constexpr std::size_t kReadBytes = std::size_t{1} << 16;

constexpr Loading loading(OpenMode mode) noexcept {
  switch (mode) {
    case OpenMode::mapped:
      return Loading::mapped;
    case OpenMode::preload:
      return Loading::preload;
    case OpenMode::lock:
      return Loading::lock;
    case OpenMode::copy:
      return Loading::copy;
    case OpenMode::read:
      return Loading::read;
  }
  return Loading::mapped;
}

/// Bytes of a file in memory, of which some may not have come yet from where the file is.
class AwaitedBytes {
 public:
  virtual ~AwaitedBytes() = default;
  /// Whether these are there; notes them as wanted if they are not. For any number of threads.
  virtual bool has(base::ByteView some) noexcept = 0;
};

/// A file whose bytes are read where they are wanted, and the memory that they are read into.
/// Valid as long as its MappedFile is there, wherever that is moved.
class PagedBytes {
 public:
  /// Stands for no file.
  PagedBytes() = default;
  PagedBytes(int file, base::ByteView memory) noexcept : file_(file), memory_(memory) {}
  /// Some bytes are read where they are in the memory already.
  explicit PagedBytes(AwaitedBytes& bytes) noexcept : awaited_(&bytes) {}

  bool has_file() const noexcept { return file_ >= 0 || awaited_ != nullptr; }
  /// Reads some bytes of the file to where they are in the memory, or to another place; false where
  /// they cannot be read.
  bool load(base::ByteView some) const noexcept {
    return read(some, const_cast<std::byte*>(some.data()));
  }
  bool read(base::ByteView some, std::byte* to) const noexcept;
  /// The file once more, to be copied. Throws Error(io).
  base::FileDescriptor file() const;

 private:
  int file_ = -1;
  base::ByteView memory_;
  AwaitedBytes* awaited_ = nullptr;
};

/// Opens a file whose bytes are to be mapped or copied. Throws Error(io).
base::FileDescriptor open_to_map(const std::filesystem::path& path);

/// A mapping of the file, or what was read of it.
class MappedFile {
 public:
  /// The whole file. Throws Error(io) if it cannot be read, or locked; Error(corrupt) if it is no
  /// regular file, or is cut short while it is read.
  MappedFile(const std::filesystem::path& path, Loading loading);
  /// The same of an open file, called `name` in messages.
  MappedFile(const base::FileDescriptor& file, const std::string& name, Loading loading);
  /// Memory for the file that is zero, to be filled by paged(); of kReadBytes or fewer, a copy.
  static MappedFile by_pages(const base::FileDescriptor& file, const std::string& name);
  /// A copy of bytes, called `name` in messages. Throws Error(io) if there is no memory for it.
  static MappedFile copy_of(base::ByteView bytes, const std::string& name);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  base::ByteView bytes() const noexcept { return bytes_; }
  /// The bytes that by_pages() opened; no others are paged.
  PagedBytes paged() const noexcept { return {file_.get(), bytes_}; }
  /// Lets go of the pages of a mapping that were touched, which are read again where they are
  /// wanted. Of mappings alone.
  void forget() const noexcept;

 private:
  explicit MappedFile(base::ByteView bytes) noexcept : bytes_(bytes) {}
  base::ByteView bytes_;
  bool is_read_ = false;  ///< into memory of the heap
  base::FileDescriptor file_;
};

}  // namespace crivo::file
