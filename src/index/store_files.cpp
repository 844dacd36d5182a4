#include "index/store_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "file/section_types.hpp"
#include "index/kinds.hpp"

namespace crivo::index {

std::vector<std::string> store_file_names() {
  return {kIndexName, kEnvironmentName, "lock.mdb"};
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
  if (!directory.is_open()) base::throw_system_error(path.string() + ": cannot open", errno);
  return directory;
}

/// Whether `path` leads to another directory than this by now, or to none.
bool was_replaced(const base::FileDescriptor& directory, const std::filesystem::path& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(directory.get(), &opened) == 0 &&
         (::stat(path.c_str(), &named) != 0 || opened.st_dev != named.st_dev ||
          opened.st_ino != named.st_ino);
}

}  // namespace

StoreFiles StoreFiles::open(const std::filesystem::path& directory, file::Loading loading) {
  for (int left = kTries;; --left) {
    const base::FileDescriptor opened = open_directory(directory);
    try {
      return {opened, directory, loading};
    } catch (const Error&) {
      if (left == 1 || !was_replaced(opened, directory)) throw;
    }
  }
}

StoreFiles::StoreFiles(const base::FileDescriptor& directory, const std::filesystem::path& name,
                       file::Loading loading)
    : index(
          of_kind(file::Container::open(base::FileDescriptor::open_in(directory, name / kIndexName),
                                        (name / kIndexName).string(), loading),
                  file::Kind::store)),
      ranks(index),
      environment(base::FileDescriptor::open_in(directory, name / kEnvironmentName),
                  name / kEnvironmentName, index.require(file::kEnvironmentSection, "environment"),
                  index.find(file::kDictionarySection).value_or(base::ByteView{}), loading) {
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
