#include "file/pending_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "crivo/error.hpp"
#include "file/signal_pause.hpp"

namespace crivo::file {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

[[noreturn]] void fail_io(const std::filesystem::path& path, const char* action, int error) {
  throw Error(ErrorKind::io, path.string() + ": " + action + ": " + std::strerror(error));
}

std::filesystem::path parent_of(const std::filesystem::path& path) {
  const std::filesystem::path parent = path.parent_path();
  return parent.empty() ? "." : parent;
}

/// A name beside `path` that no other process uses.
std::filesystem::path hidden_name(const std::filesystem::path& path) {
  static std::atomic<unsigned> count{0};
  return parent_of(path) / ("." + path.filename().string() + ".crivo-" +
                            std::to_string(::getpid()) + "-" + std::to_string(count++) + ".tmp");
}

/// The mode of what `path` names: nothing if there is none.
std::optional<mode_t> mode_of(const std::filesystem::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) return status.st_mode;
  if (errno != ENOENT) fail_io(path, "cannot write", errno);
  return std::nullopt;
}

/// Throws unless `path` is free or may be replaced; true if it is taken.
bool check_taken(const std::filesystem::path& path, IfExists if_exists) {
  const std::string name = path.filename().string();
  if (name.empty() || name == "." || name == "..") {
    throw Error(ErrorKind::usage, path.string() + ": cannot be the name of an output");
  }
  if (!mode_of(path)) return false;
  if (if_exists == IfExists::refuse) {
    throw Error(ErrorKind::usage, path.string() + ": exists; --force replaces it");
  }
  return true;
}

void sync_directory(const std::filesystem::path& directory) {
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = fd >= 0 && ::fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  // Some file systems cannot flush a directory; those keep its order by themselves.
  if (!synced && error != EINVAL) fail_io(directory, "cannot sync", error);
}

/// A directory that is removed with its files unless it got its final name.
class ScratchDirectory {
 public:
  explicit ScratchDirectory(std::filesystem::path path) : path_(std::move(path)) {
    if (::mkdir(path_.c_str(), 0777) != 0) fail_io(path_, "cannot make", errno);
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  void release() noexcept { path_.clear(); }

 private:
  std::filesystem::path path_;
};

}  // namespace

void check_output_file(const std::filesystem::path& path, IfExists if_exists) {
  if (!check_taken(path, if_exists)) return;
  const mode_t mode = mode_of(path).value_or(S_IFREG);
  if (!S_ISREG(mode) && !S_ISLNK(mode)) {
    throw Error(ErrorKind::usage, path.string() + ": exists and is no regular file");
  }
}

void check_output_directory(const std::filesystem::path& path, IfExists if_exists,
                            const std::vector<std::string>& replaceable) {
  if (!check_taken(path, if_exists)) return;
  const mode_t mode = mode_of(path).value_or(S_IFDIR);
  if (!S_ISDIR(mode)) {
    throw Error(ErrorKind::usage, path.string() + ": exists and is no directory");
  }
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    if (std::ranges::find(replaceable, name) == replaceable.end()) {
      throw Error(ErrorKind::usage,
                  path.string() + ": not replaced, since it holds " + name + ", which is not ours");
    }
  }
}

PendingFile::PendingFile(const std::filesystem::path& path) : output_(path) {
  fd_ = ::open(parent_of(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (fd_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
    temporary_name_ = hidden_name(path);
    fd_ = ::open(temporary_name_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
  }
  if (fd_ < 0) fail("cannot write");
}

PendingFile::~PendingFile() {
  if (!temporary_name_.empty()) ::unlink(temporary_name_.c_str());
  if (fd_ >= 0) ::close(fd_);
}

void PendingFile::write_at(std::uint64_t offset, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail("cannot write");
    offset += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

std::filesystem::path PendingFile::path_to_open() const {
  if (!temporary_name_.empty()) return temporary_name_;
  return "/proc/self/fd/" + std::to_string(fd_);
}

void PendingFile::sync() {
  if (::fsync(fd_) != 0) fail("cannot write");
}

void PendingFile::link_as(const std::filesystem::path& path) {
  const bool named = !temporary_name_.empty();
  const int result =
      named ? ::rename(temporary_name_.c_str(), path.c_str())
            : ::linkat(AT_FDCWD, path_to_open().c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW);
  if (result != 0) fail("cannot name the output");
  temporary_name_ = path;
}

void PendingFile::publish(const std::filesystem::path& path, IfExists if_exists) {
  sync();
  const SignalPause pause;
  int result = 0;
  if (if_exists == IfExists::refuse) {  // a link never takes a name that is in use
    result = ::linkat(AT_FDCWD, path_to_open().c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW);
  } else {
    link_as(hidden_name(path));
    result = ::rename(temporary_name_.c_str(), path.c_str());
    if (result == 0) temporary_name_.clear();
  }
  if (result != 0) {
    const int error = errno;
    check_output_file(path, if_exists);
    fail_io(path, "cannot name the output", error);
  }
  sync_directory(parent_of(path));
}

void PendingFile::fail(const char* action) const {
  fail_io(output_, action, errno);
}

void publish_directory(const std::filesystem::path& path, IfExists if_exists,
                       const std::vector<std::string>& replaceable,
                       const std::vector<std::pair<std::string, PendingFile*>>& members) {
  for (const auto& [name, file] : members) file->sync();
  check_output_directory(path, if_exists, replaceable);
  const SignalPause pause;
  ScratchDirectory scratch(hidden_name(path));
  for (const auto& [name, file] : members) {
    file->link_as(scratch.path() / name);
    file->temporary_name_.clear();  // the directory's from now on
  }
  sync_directory(scratch.path());
  const bool exchange = if_exists == IfExists::replace && mode_of(path);
  const int result = exchange ? ::renameat2(AT_FDCWD, scratch.path().c_str(), AT_FDCWD,
                                            path.c_str(), RENAME_EXCHANGE)
                              : ::rename(scratch.path().c_str(), path.c_str());
  if (result != 0) {
    const int error = errno;
    check_output_directory(path, if_exists, replaceable);
    fail_io(path, "cannot name the output", error);
  }
  if (!exchange) scratch.release();  // otherwise it is the old output, which goes now
  sync_directory(parent_of(path));
}

Appender::Appender(PendingFile& file) : file_(file) {
  buffer_.reserve(kBufferBytes);
}

void Appender::append(ByteView bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() >= kBufferBytes) {
    file_.write_at(flushed_, bytes);
    flushed_ += bytes.size();
  } else {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
}

void Appender::flush() {
  file_.write_at(flushed_, buffer_);
  flushed_ += buffer_.size();
  buffer_.clear();
}

}  // namespace crivo::file
