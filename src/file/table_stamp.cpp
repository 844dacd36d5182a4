// SPDX-License-Identifier: Apache-2.0
#include "file/table_stamp.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "crivo/error.hpp"

namespace crivo::file {

TableStamp read_table_stamp(const std::filesystem::path& path) {
  const auto file = base::FileDescriptor::open_to_read(path);
  struct stat found {};
  if (::fstat(file.get(), &found) != 0)
    base::throw_file_error(path.string(), "cannot be looked at", errno);
  TableStamp stamp{.bytes = static_cast<std::uint64_t>(found.st_size),
                   .modified = static_cast<std::uint64_t>(found.st_mtim.tv_sec) * 1'000'000'000 +
                               static_cast<std::uint64_t>(found.st_mtim.tv_nsec)};
  base::Bytes end(std::min(stamp.bytes, kStampedBytes));
  if (!file.read_at(stamp.bytes - end.size(), end))
    throw Error(ErrorKind::io, path.string() + ": shrank while it was read");
  stamp.end = content_hash(end);
  return stamp;
}

}  // namespace crivo::file
