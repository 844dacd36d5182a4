// SPDX-License-Identifier: Apache-2.0
/// A method in a process of its own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "base/file_descriptor.hpp"
#include "bench/measure.hpp"

namespace crivo::bench {

/// A fork of this process that builds one method and keeps it for the rounds of lookups. All
/// workers read the same keys, at the same addresses; each has an allocator and a peak of memory to
/// itself; and one that crashes takes nobody with it. At any time at most one of them runs.
///
/// Every call throws std::runtime_error, with a text for the table, if the method fails, crashes,
/// or takes longer than the limit; of the worker only the destructor may be called then.
class Worker {
 public:
  /// The three must outlive it.
  Worker(const Method& method, const Task& task, const KeySets& keys, std::chrono::seconds limit);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  BuildFigures build(unsigned threads);
  double verify();
  double time(Loop loop);

 private:
  struct Request;
  struct Reply;
  Reply ask(const Request& request);
  std::string how_it_ended();
  [[noreturn]] static void serve(int socket, Subject& subject);

  std::chrono::seconds limit_;
  base::FileDescriptor socket_;
  pid_t process_ = -1;
};

}  // namespace crivo::bench
