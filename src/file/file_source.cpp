// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "base/as_error.hpp"
#include "base/file_descriptor.hpp"
#include "crivo/error.hpp"
#include "crivo/remote.hpp"
#include "file/mapped_file.hpp"

namespace crivo {
namespace {

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path)
      : name_(path.string()), file_(file::open_to_map(path)) {}

  FileEnds ends(std::uint64_t head, std::uint64_t tail) override {
    struct stat status {};
    if (::fstat(file_.get(), &status) != 0) base::throw_file_error(name_, "cannot read", errno);
    const auto length = static_cast<std::uint64_t>(status.st_size);
    const std::uint64_t last = std::min(tail, length);
    return {.length = length,
            .head = bytes_at({0, std::min(head, length)}),
            .tail = bytes_at({length - last, last})};
  }

  std::vector<std::vector<std::byte>> read(std::span<const ByteRange> ranges) override {
    std::vector<std::vector<std::byte>> all;
    for (const ByteRange& range : ranges) all.push_back(bytes_at(range));
    return all;
  }

 private:
  std::vector<std::byte> bytes_at(const ByteRange& range) const {
    std::vector<std::byte> bytes(range.length);
    std::size_t got = 0;
    while (got < bytes.size()) {
      const ssize_t some = ::pread(file_.get(), bytes.data() + got, bytes.size() - got,
                                   static_cast<off_t>(range.offset + got));
      if (some < 0 && errno == EINTR) continue;
      if (some < 0) base::throw_file_error(name_, "cannot read", errno);
      if (some == 0) throw Error(ErrorKind::corrupt, name_ + ": was cut short", {.file = name_});
      got += static_cast<std::size_t>(some);
    }
    return bytes;
  }

  std::string name_;
  base::FileDescriptor file_;
};

}  // namespace

ByteSource::~ByteSource() = default;

std::unique_ptr<ByteSource> ByteSource::of_file(const std::filesystem::path& path) try {
  return std::make_unique<FileSource>(path);
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
