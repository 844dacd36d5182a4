// SPDX-License-Identifier: Apache-2.0
#include "shards/part_command.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>
#include <vector>

#include "crivo/error.hpp"

namespace crivo::index {
namespace {

constexpr std::size_t kPipeBytes = std::size_t{1} << 17;

/// A write to a command that reads no more is an error here, and no signal to the whole program.
class NoPipeSignal {
 public:
  NoPipeSignal() noexcept {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec at_once{};
    while (!was_pending_ && sigtimedwait(&pipe_, nullptr, &at_once) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

/// The environment with CRIVO_NAME, for posix_spawn.
struct Environment {
  explicit Environment(const std::string& part) : name("CRIVO_NAME=" + part) {
    for (char** entry = environ; *entry != nullptr; ++entry) {
      if (std::strncmp(*entry, "CRIVO_NAME=", 11) != 0) entries.push_back(*entry);
    }
    entries.push_back(name.data());
    entries.push_back(nullptr);
  }

  std::string name;
  std::vector<char*> entries;
};

/// What becomes of the child's standard files and signals.
class SpawnPlan {
 public:
  SpawnPlan() noexcept {
    posix_spawn_file_actions_init(&files_);
    posix_spawnattr_init(&signals_);
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_setsigdefault(&signals_, &usual);
    posix_spawnattr_setflags(&signals_, POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&signals_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  void read_from(int pipe) noexcept {
    posix_spawn_file_actions_adddup2(&files_, pipe, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files_, STDERR_FILENO, STDOUT_FILENO);
  }
  void write_to(int pipe) noexcept {
    posix_spawn_file_actions_adddup2(&files_, pipe, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  /// 0, or the error's number.
  int start(pid_t& process, const std::string& command, Environment& environment) const {
    std::string shell = "sh";
    std::string option = "-c";
    std::string text = command;
    std::array<char*, 4> arguments{shell.data(), option.data(), text.data(), nullptr};
    return ::posix_spawn(&process, "/bin/sh", &files_, &signals_, arguments.data(),
                         environment.entries.data());
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t signals_{};
};

}  // namespace

PartCommand::PartCommand(Way way, const std::string& command, const std::string& name)
    : way_(way), name_(name) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    base::throw_file_error(name_, "cannot make a pipe", errno);
  base::FileDescriptor reading(ends[0]);
  base::FileDescriptor writing(ends[1]);
  SpawnPlan plan;
  if (way == Way::put) {
    plan.read_from(reading.get());
  } else {
    plan.write_to(writing.get());
  }
  Environment environment(name);
  if (const int error = plan.start(process_, command, environment); error != 0) {
    process_ = -1;
    base::throw_file_error(name_, "cannot start a command", error);
  }
  pipe_ = way == Way::put ? std::move(writing) : std::move(reading);
  if (way == Way::get) buffer_.resize(kPipeBytes);
}

PartCommand::~PartCommand() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  (void)wait();
}

void PartCommand::write(base::ByteView bytes) {
  const NoPipeSignal no_signal;
  while (!bytes.empty()) {
    const ssize_t put = ::write(pipe_.get(), bytes.data(), bytes.size());
    if (put >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(put));
    } else if (errno == EPIPE) {
      finish();
      fail("the command that puts it read only a part of it");
    } else if (errno != EINTR) {
      base::throw_file_error(name_, "cannot write to the command that puts it", errno);
    }
  }
}

base::ByteView PartCommand::read() {
  while (true) {
    const ssize_t got = ::read(pipe_.get(), buffer_.data(), buffer_.size());
    if (got >= 0) return base::ByteView(buffer_).first(static_cast<std::size_t>(got));
    if (errno != EINTR)
      base::throw_file_error(name_, "cannot read from the command that gets it", errno);
  }
}

int PartCommand::wait() {
  pipe_ = {};
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return status;
}

void PartCommand::finish() {
  const int status = wait();
  const std::string who =
      way_ == Way::put ? "the command that puts it" : "the command that gets it";
  if (WIFSIGNALED(status)) fail(who + " was ended by signal " + std::to_string(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0)
    fail(who + " failed with status " + std::to_string(WEXITSTATUS(status)));
}

void PartCommand::fail(const std::string& problem) const {
  throw Error(ErrorKind::io, name_ + ": " + problem, {.file = name_});
}

}  // namespace crivo::index
