// SPDX-License-Identifier: Apache-2.0
#include "bench/worker.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace crivo::bench {

struct Worker::Request {
  enum class Command { build, verify, time } command;
  unsigned threads = 1;
  Loop loop = Loop::lookup;
};

/// A message of one piece, as the request is.
struct Worker::Reply {
  std::array<char, 256> failure{};  ///< empty if all went well
  BuildFigures figures;
  double value = 0;  ///< of the other commands
};

Worker::Worker(const Method& method, const Task& task, const KeySets& keys,
               std::chrono::seconds limit)
    : limit_(limit) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    base::throw_system_error("socketpair", errno);
  }
  socket_ = base::FileDescriptor(ends[0]);
  const base::FileDescriptor theirs(ends[1]);
  process_ = ::fork();
  if (process_ < 0) base::throw_system_error("fork", errno);
  if (process_ == 0) {
    Subject subject(method, task, keys);
    serve(theirs.get(), subject);
  }
}

Worker::~Worker() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

void Worker::serve(int socket, Subject& subject) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Where memory runs out it is this process that goes, and no other of the machine.
  std::ofstream("/proc/self/oom_score_adj") << "1000";
  // Libraries may print; standard output is the table's.
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  Request request{};
  while (::recv(socket, &request, sizeof request, 0) == sizeof request) {
    Reply reply;
    try {
      switch (request.command) {
        case Request::Command::build:
          reply.figures = subject.build(request.threads);
          break;
        case Request::Command::verify:
          reply.value = subject.verify();
          break;
        case Request::Command::time:
          reply.value = subject.time(request.loop);
          break;
      }
    } catch (const std::exception& error) {
      const std::string_view why = error.what()[0] != '\0' ? error.what() : "an error without text";
      std::copy_n(why.data(), std::min(why.size(), reply.failure.size() - 1), reply.failure.data());
    }
    if (::send(socket, &reply, sizeof reply, MSG_NOSIGNAL) != sizeof reply) break;
  }
  ::_exit(0);  // nothing of the parent's is flushed or destroyed a second time
}

std::string Worker::how_it_ended() {
  int status = 0;
  ::waitpid(process_, &status, 0);
  process_ = -1;
  if (!WIFSIGNALED(status)) return "ended with exit code " + std::to_string(WEXITSTATUS(status));
  const char* const name = ::sigabbrev_np(WTERMSIG(status));
  return std::string("crashed: SIG") + (name != nullptr ? name : "?") +
         (WTERMSIG(status) == SIGKILL ? " (out of memory?)" : "");
}

Worker::Reply Worker::ask(const Request& request) {
  Reply reply;
  if (::send(socket_.get(), &request, sizeof request, MSG_NOSIGNAL) != sizeof request) {
    throw std::runtime_error(how_it_ended());
  }
  pollfd answer{socket_.get(), POLLIN, 0};
  const auto milliseconds = std::chrono::milliseconds(limit_).count();
  int ready = 0;
  do {
    ready = ::poll(&answer, 1, static_cast<int>(milliseconds));
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) {
    throw std::runtime_error("took more than " + std::to_string(limit_.count()) + " s");
  }
  if (::recv(socket_.get(), &reply, sizeof reply, 0) != sizeof reply) {
    throw std::runtime_error(how_it_ended());
  }
  if (reply.failure[0] != '\0') throw std::runtime_error(reply.failure.data());
  return reply;
}

BuildFigures Worker::build(unsigned threads) {
  return ask({Request::Command::build, threads, {}}).figures;
}

double Worker::verify() {
  return ask({Request::Command::verify, 1, {}}).value;
}

double Worker::time(Loop loop) {
  return ask({Request::Command::time, 1, loop}).value;
}

}  // namespace crivo::bench
