// SPDX-License-Identifier: Apache-2.0
#include "apps/program.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

#include "crivo/error.hpp"

namespace crivo::apps {
namespace {

[[noreturn]] void fail_io(const std::string& what) {
  throw Error(ErrorKind::io, what + ": " + std::strerror(errno));
}

void refuse_existing(const std::filesystem::path& path) {
  if (std::filesystem::exists(std::filesystem::symlink_status(path))) {
    throw Error(ErrorKind::usage, path.string() + ": exists; remove it, or name another");
  }
}

/// Gives what was made for its owner alone its name and the mode that the umask leaves of `mode`.
void publish(const std::string& made, const std::filesystem::path& name, mode_t mode) {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::chmod(made.c_str(), mode & ~mask) != 0) fail_io(made + ": cannot change");
  std::filesystem::rename(made, name);
}

}  // namespace

void add_filter_options(options::Command& command, FilterOptions& filter) {
  const auto types = filter_types();
  command.option("--type", filter.type, "filter type")
      .one_of({types.begin(), types.end()})
      .shows_default();
  command.option("--fpr", filter.fpr, "highest rate of false positives (default 1/256)");
}

Input::Input(const std::string& path)
    : name_(path == "-" ? "(standard input)" : path),
      descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) fail_io(name_ + ": cannot open");
}

Input::~Input() {
  if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
}

std::size_t Input::read(std::span<char> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t got = ::read(descriptor_, &buffer[filled], buffer.size() - filled);
    if (got == 0) break;
    if (got < 0 && errno != EINTR) fail_io(name_ + ": cannot read");
    if (got > 0) filled += static_cast<std::size_t>(got);
  }
  return filled;
}

bool Lines::next(std::string_view& line) {
  constexpr std::size_t kReadBytes = std::size_t{1} << 16;
  std::size_t searched = begin_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    has_end_ = end != std::string::npos;
    if (has_end_ || (at_end_ && begin_ < buffer_.size())) {
      const std::string_view rest = std::string_view(buffer_).substr(begin_);
      line = has_end_ ? rest.substr(0, end - begin_) : rest;
      begin_ += line.size() + (has_end_ ? 1 : 0);
      ++number_;
      return true;
    }
    if (at_end_) return false;
    buffer_.erase(0, begin_);
    begin_ = 0;
    searched = buffer_.size();
    buffer_.resize(searched + kReadBytes);
    const std::size_t got = input_.read({buffer_.data() + searched, kReadBytes});
    buffer_.resize(searched + got);
    at_end_ = got < kReadBytes;
  }
}

void Output::flush() {
  const bool written = std::fwrite(buffer_.data(), 1, buffer_.size(), stdout) == buffer_.size() &&
                       std::fflush(stdout) == 0;
  buffer_.clear();
  if (!written) fail_io("(standard output): cannot write");
}

void make_directory(const std::filesystem::path& path,
                    const std::function<void(const std::filesystem::path&)>& fill) {
  refuse_existing(path);
  const std::filesystem::path name = path.has_filename() ? path : path.parent_path();
  std::string made = name.string() + ".XXXXXX";
  if (::mkdtemp(made.data()) == nullptr) fail_io(made + ": cannot create");
  std::error_code ignored;
  try {
    fill(made);
    publish(made, name, 0777);
  } catch (...) {
    std::filesystem::remove_all(made, ignored);
    throw;
  }
}

void make_file(const std::filesystem::path& path, std::string_view bytes) {
  refuse_existing(path);
  std::string made = path.string() + ".XXXXXX";
  const int descriptor = ::mkstemp(made.data());
  if (descriptor < 0) fail_io(made + ": cannot create");
  ::close(descriptor);
  std::error_code ignored;
  try {
    std::ofstream file(made, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) fail_io(made + ": cannot write");
    publish(made, path, 0666);
  } catch (...) {
    std::filesystem::remove(made, ignored);
    throw;
  }
}

}  // namespace crivo::apps
