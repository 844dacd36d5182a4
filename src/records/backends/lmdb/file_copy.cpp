// SPDX-License-Identifier: Apache-2.0
#include "records/backends/lmdb/file_copy.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <vector>

#include "base/proc_name.hpp"
#include "crivo/error.hpp"

namespace crivo::records {

base::FileDescriptor copy_of(const base::FileDescriptor& data, const std::filesystem::path& path) {
  base::FileDescriptor copy(::memfd_create("crivo", MFD_CLOEXEC));
  if (!copy.is_open())
    base::throw_system_error(path.string() + ": not enough memory for a copy", errno);
  if (!base::name_in_proc(copy)) {
    throw Error(ErrorKind::io,
                path.string() +
                    ": no copy of it can be opened without /proc; mount /proc, or open it mapped");
  }
  const std::uint64_t size = data.size();
  const int error = size == 0 ? 0 : ::posix_fallocate(copy.get(), 0, static_cast<off_t>(size));
  if (error != 0) base::throw_system_error(path.string() + ": not enough memory for a copy", error);
  std::vector<std::byte> buffer(std::min<std::uint64_t>(size, std::uint64_t{1} << 20));
  for (std::uint64_t at = 0; at < size;) {
    const auto piece = std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), size - at));
    if (!data.read_at(at, piece)) {
      throw Error(ErrorKind::corrupt, path.string() + ": was cut short while it was read");
    }
    copy.write_at(at, piece);
    at += piece.size();
  }
  return copy;
}

}  // namespace crivo::records
