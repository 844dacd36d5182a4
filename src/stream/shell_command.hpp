// SPDX-License-Identifier: Apache-2.0
/// A command whose output is an input, or that takes or gives a part of a build in shards.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/file_descriptor.hpp"

namespace crivo::stream {

/// A command that `sh -c` runs, with a pipe to its standard input or from its standard output.
class ShellCommand {
 public:
  enum class Pipe { to_input, from_output };

  /// Starts it. `variable` ("NAME=VALUE") is put into its environment, if it is not empty. What
  /// Error(io) says begins with `name`.
  ShellCommand(const std::string& name, const std::string& command, Pipe pipe,
               const std::string& variable = {});
  /// Kills it, unless finish() was called.
  ~ShellCommand();
  ShellCommand(const ShellCommand&) = delete;
  ShellCommand& operator=(const ShellCommand&) = delete;

  /// Returns the descriptor of this side of the pipe, until finish().
  int pipe() const noexcept { return pipe_.get(); }
  /// Closes the pipe, waits for the end, and returns what went wrong ("failed with status 1"):
  /// empty where nothing did. Once.
  std::string finish();

 private:
  int wait() noexcept;

  base::FileDescriptor pipe_;
  pid_t process_ = -1;
};

}  // namespace crivo::stream
