#include "index/store_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "file/generation.hpp"
#include "file/section_types.hpp"
#include "index/kinds.hpp"

namespace crivo::index {

std::vector<std::string> store_file_families() {
  return {kIndexName, kEnvironmentFamily, "lock.mdb"};
}

namespace {

/// No MPHF has less than log2(e) = 1.44 bits a key.
constexpr std::uint64_t kMostKeysAByte = 8;

/// How often an open begins anew because the store was replaced under it.
constexpr int kTries = 100;

base::FileDescriptor open_directory(const std::filesystem::path& path) {
  base::FileDescriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open() && errno == ENOTDIR) {
    throw Error(ErrorKind::usage, path.string() + ": is no store, which is a directory");
  }
  if (!directory.is_open()) base::throw_file_error(path.string(), "cannot open", errno);
  return directory;
}

FileIdentity identity_of(const struct stat& status) noexcept {
  return {status.st_dev, status.st_ino};
}

FileIdentity identity_of(const base::FileDescriptor& file) noexcept {
  struct stat status {};
  return ::fstat(file.get(), &status) == 0 ? identity_of(status) : FileIdentity{};
}

std::filesystem::path data_path(const std::filesystem::path& name, const file::Container& index) {
  return name / file::generation_name(kEnvironmentFamily, index.digest());
}

base::FileDescriptor open_data(const base::FileDescriptor& directory,
                               const std::filesystem::path& name, const file::Container& index) {
  const std::filesystem::path path = data_path(name, index);
  if (::faccessat(directory.get(), path.filename().c_str(), F_OK, 0) != 0 && errno == ENOENT) {
    throw Error(
        ErrorKind::corrupt,
        path.string() + ": is missing, which the index leads to: is that of another build?");
  }
  return base::FileDescriptor::open_in(directory, path);
}

/// Whether `path` leads to another file than this by now, or to none.
bool was_replaced(const base::FileDescriptor& opened, const std::filesystem::path& path) noexcept {
  struct stat named {};
  return ::stat(path.c_str(), &named) != 0 || identity_of(named) != identity_of(opened);
}

}  // namespace

StoreFiles StoreFiles::open(const std::filesystem::path& directory, file::Loading loading) {
  for (int left = kTries;; --left) {
    const base::FileDescriptor opened = open_directory(directory);
    base::FileDescriptor pointer;
    try {
      pointer = base::FileDescriptor::open_in(opened, directory / kIndexName);
      base::FileDescriptor kept(::fcntl(pointer.get(), F_DUPFD_CLOEXEC, 0));
      return {opened, directory, std::move(kept), loading};
    } catch (const Error&) {
      const bool replaced = pointer.is_open() ? was_replaced(pointer, directory / kIndexName)
                                              : was_replaced(opened, directory);
      if (left == 1 || !replaced) throw;
    }
  }
}

bool StoreFiles::is_replaced() const noexcept {
  struct stat named {};
  return ::stat(index_path.c_str(), &named) == 0 && identity_of(named) != index_identity;
}

StoreFiles::StoreFiles(const base::FileDescriptor& directory, const std::filesystem::path& name,
                       base::FileDescriptor pointer, file::Loading loading)
    : index_path(std::filesystem::absolute(name / kIndexName)),
      index_file(std::move(pointer)),
      index_identity(identity_of(index_file)),
      index(of_kind(file::Container::open(index_file, (name / kIndexName).string(), loading),
                    file::Kind::store)),
      ranks(index),
      environment(open_data(directory, name, index), data_path(name, index),
                  index.require(file::kEnvironmentSection, "environment"),
                  index.require(file::kCodecSection, "codec"), loading) {
  const records::EnvironmentSection& described = environment.description();
  if (described.content_id != index.header().content_id ||
      described.records != index.header().keys || described.key_seed != index.header().seed) {
    index.fail("damaged: its header and its description of the environment disagree");
  }
  if (const std::uint64_t keys = index.header().keys; keys > kMostKeysAByte * index.bytes()) {
    index.fail("damaged: it claims " + std::to_string(keys) + " keys, more than it can hold");
  }
}

}  // namespace crivo::index
