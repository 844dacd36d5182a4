// SPDX-License-Identifier: Apache-2.0
#include "stream/shell_command.hpp"

#include <fcntl.h>
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

namespace crivo::stream {
namespace {

/// The environment with a variable in the place of one of the same name, for posix_spawn.
struct Environment {
  explicit Environment(const std::string& variable) : added(variable) {
    const std::size_t name = added.find('=') + 1;
    for (char** entry = environ; *entry != nullptr; ++entry) {
      if (added.empty() || std::strncmp(*entry, added.c_str(), name) != 0)
        entries.push_back(*entry);
    }
    if (!added.empty()) entries.push_back(added.data());
    entries.push_back(nullptr);
  }

  std::string added;
  std::vector<char*> entries;
};

/// The plan for the child's standard files and signals.
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

  /// Its own output goes where messages go.
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

ShellCommand::ShellCommand(const std::string& name, const std::string& command, Pipe pipe,
                           const std::string& variable) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    base::throw_file_error(name, "cannot make a pipe", errno);
  base::FileDescriptor reading(ends[0]);
  base::FileDescriptor writing(ends[1]);
  SpawnPlan plan;
  if (pipe == Pipe::to_input) {
    plan.read_from(reading.get());
  } else {
    plan.write_to(writing.get());
  }
  Environment environment(variable);
  if (const int error = plan.start(process_, command, environment); error != 0) {
    process_ = -1;
    base::throw_file_error(name, "cannot start a command", error);
  }
  pipe_ = pipe == Pipe::to_input ? std::move(writing) : std::move(reading);
}

ShellCommand::~ShellCommand() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  (void)wait();
}

int ShellCommand::wait() noexcept {
  pipe_ = {};
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return status;
}

std::string ShellCommand::finish() {
  const int status = wait();
  if (WIFSIGNALED(status)) return "was ended by signal " + std::to_string(WTERMSIG(status));
  const int code = WEXITSTATUS(status);
  return code == 0 ? "" : "failed with status " + std::to_string(code);
}

}  // namespace crivo::stream
