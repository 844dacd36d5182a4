#include "file/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <utility>

#include "crivo/error.hpp"
#include "util/file_descriptor.hpp"

namespace crivo::file {

MappedFile::MappedFile(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  const util::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) {
    util::throw_system_error(path.string() + ": cannot open", errno);
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorKind::corrupt, path.string() + ": not a Crivo file, not even a regular one");
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  void* memory = size == 0 ? nullptr : ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (memory == MAP_FAILED) util::throw_system_error(path.string() + ": cannot map", errno);
  bytes_ = ByteView(static_cast<const std::byte*>(memory), size);
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace crivo::file
