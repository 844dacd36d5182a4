// SPDX-License-Identifier: Apache-2.0
#include "input/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "crivo/error.hpp"
#include "input/places.hpp"
#include "input/sources.hpp"

namespace crivo::input {
namespace {

constexpr int kPipeBytes = 1 << 20;

[[noreturn]] void fail_io(const std::string& name, const char* action) {
  base::throw_file_error(name, action, errno);
}

}  // namespace

InputFile::InputFile(const Sources& sources, std::size_t number)
    : name_(input_name(sources, number)) {
  if (sources.command.empty()) {
    open(sources.paths[number]);
    return;
  }
  command_ = std::make_unique<stream::ShellCommand>(name_, sources.command,
                                                    stream::ShellCommand::Pipe::from_output);
  ::fcntl(command_->pipe(), F_SETPIPE_SZ, kPipeBytes);
}

InputFile::InputFile(const std::string& path) : name_(path == "-" ? "(standard input)" : path) {
  open(path);
}

void InputFile::open(const std::string& path) {
  file_ = base::FileDescriptor(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                           : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file_.is_open()) fail_io(name_, "cannot open");
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) fail_io(name_, "cannot read");
  if (S_ISDIR(status.st_mode)) {
    throw Error(ErrorKind::io, name_ + ": is a directory; use the files in it");
  }
  regular_ = S_ISREG(status.st_mode);
  if (regular_) {
    const off_t here = ::lseek(file_.get(), 0, SEEK_CUR);
    start_ = here > 0 ? static_cast<std::uint64_t>(here) : 0;
    const auto end = static_cast<std::uint64_t>(status.st_size);
    size_ = end > start_ ? end - start_ : 0;
  } else {
    // Fewer, larger reads; no harm where it is refused.
    ::fcntl(file_.get(), F_SETPIPE_SZ, kPipeBytes);
  }
}

std::size_t InputFile::read_at(std::uint64_t offset, std::span<char> room) const {
  std::size_t done = 0;
  while (done < room.size()) {
    const ssize_t got = ::pread(file_.get(), room.data() + done, room.size() - done,
                                static_cast<off_t>(start_ + offset + done));
    if (got < 0) {
      if (errno == EINTR) continue;
      fail_io(name_, "cannot read");
    }
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::size_t InputFile::read(std::span<char> room) {
  if (regular_) {
    const std::size_t got = read_at(position_, room);
    position_ += got;
    return got;
  }
  if (ended_) return 0;
  while (true) {
    const ssize_t got = ::read(command_ ? command_->pipe() : file_.get(), room.data(), room.size());
    if (got == 0 && command_) end_command();
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail_io(name_, "cannot read");
  }
}

void InputFile::end_command() {
  ended_ = true;
  const std::string problem = command_->finish();
  if (!problem.empty()) throw Error(ErrorKind::bad_input, name_ + ": the command " + problem);
}

void InputFile::start_at(std::uint64_t offset) noexcept {
  offset = std::min(offset, size_);
  start_ += offset;
  size_ -= offset;
}

}  // namespace crivo::input
