// SPDX-License-Identifier: Apache-2.0
#include "program/password.hpp"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "crivo/error.hpp"

namespace crivo::cli {
namespace {

/// A limit of minisign.
constexpr std::size_t kMostBytes = 1023;
constexpr char kInterrupt = 3;  // Ctrl-C

/// A descriptor that closes itself.
class OpenFile {
 public:
  OpenFile(const char* path, int how) : fd_(::open(path, how | O_CLOEXEC)) {}
  ~OpenFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool is_open() const noexcept { return fd_ >= 0; }
  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

/// Shows nothing of what is typed as long as it lives. Ctrl-C ends the line and is read as what it
/// is, so that no signal leaves the terminal like this.
class Silence {
 public:
  explicit Silence(int terminal) : terminal_(terminal) {
    if (::tcgetattr(terminal, &before_) != 0) return;
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ISIG);
    silent.c_cc[VEOL] = kInterrupt;
    is_set_ = ::tcsetattr(terminal, TCSAFLUSH, &silent) == 0;
  }
  ~Silence() {
    if (is_set_) ::tcsetattr(terminal_, TCSAFLUSH, &before_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  int terminal_;
  termios before_{};
  bool is_set_ = false;
};

/// Reads up to the end of a line, or Ctrl-C, which is kept.
std::string read_line(int fd, const std::string& name) {
  std::string line;
  while (true) {
    char c = 0;
    const ssize_t got = ::read(fd, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(ErrorKind::io, name + ": cannot read: " + std::strerror(errno));
    if (got == 0 || c == '\n') break;
    line += c;
    if (c == kInterrupt) break;
    if (line.size() > kMostBytes)
      throw Error(ErrorKind::usage,
                  name + ": a password has at most " + std::to_string(kMostBytes) + " bytes");
  }
  return line;
}

}  // namespace

std::string password_of_file(const std::string& path) {
  const OpenFile file(path.c_str(), O_RDONLY);
  if (!file.is_open())
    throw Error(ErrorKind::io, path + ": cannot open: " + std::strerror(errno), {.file = path});
  std::string line = read_line(file.get(), path);
  if (line.ends_with('\r')) line.pop_back();
  if (line.empty()) throw Error(ErrorKind::usage, path + ": has no password", {.file = path});
  return line;
}

std::string ask_for_password(const std::string& key_file) {
  const OpenFile terminal("/dev/tty", O_RDWR);
  if (!terminal.is_open())
    throw Error(ErrorKind::usage, key_file +
                                      ": is encrypted, and there is no terminal to ask for its "
                                      "password; use --password-file");
  const std::string prompt = "Password of " + escape(key_file) + ": ";
  std::string line;
  {
    const Silence silence(terminal.get());
    (void)!::write(terminal.get(), prompt.data(), prompt.size());
    line = read_line(terminal.get(), "/dev/tty");
    (void)!::write(terminal.get(), "\n", 1);
  }
  if (line.ends_with(kInterrupt)) throw Error(ErrorKind::cancelled, "no password was given");
  return line;
}

}  // namespace crivo::cli
