// SPDX-License-Identifier: Apache-2.0
/// A command that is running, with a pipe to its standard input or from its standard output.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"

namespace crivo::index {

class PartCommand {
 public:
  enum class Way { put, get };

  /// Starts `sh -c command`, with `name` in its environment as CRIVO_NAME. What a command that puts
  /// says on its standard output goes to standard error. Throws Error(io).
  PartCommand(Way way, const std::string& command, const std::string& name);
  /// Kills it, unless it was ended.
  ~PartCommand();
  PartCommand(const PartCommand&) = delete;
  PartCommand& operator=(const PartCommand&) = delete;

  /// Writes all to its standard input. Throws Error(io), also if it reads no more.
  void write(base::ByteView bytes);
  /// What comes next from its standard output: empty at the end. Throws Error(io).
  base::ByteView read();
  /// Waits for its end. Throws Error(io) if it fails: its status is not 0, or a signal ended it.
  void finish();

  /// Throws Error(io): "NAME: problem".
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  /// Its status, as waitpid() gives it.
  int wait();

  Way way_;
  std::string name_;
  pid_t process_ = -1;  ///< -1 when it has ended
  base::FileDescriptor pipe_;
  base::Bytes buffer_;
};

}  // namespace crivo::index
