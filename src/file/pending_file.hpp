// SPDX-License-Identifier: Apache-2.0
/// Files that appear whole or not at all, in a few steps that no signal shall come between.
#pragma once

#include <pthread.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "base/memory.hpp"
#include "crivo/error.hpp"
#include "file/output_target.hpp"

namespace crivo::file {

/// Things that went wrong after an output got its name, which it has all the same: a line each.
using Warnings = std::vector<Warning>;

/// A file being written that has no name yet: however the process ends, nothing of it is left. (On
/// a file system without unnamed files, and where /proc is not mounted, it has a temporary name. If
/// the process is killed then, or in the moment between two names when an output is replaced, the
/// next PendingFile for the same output removes what is left.)
class PendingFile {
 public:
  /// A file on the file system of the output; removes what killed processes left there of theirs.
  /// Throws Error(io).
  explicit PendingFile(OutputTarget target);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  /// From here on whole pages are written past the page cache, where the file system allows it: for
  /// a file that is large and that other machines read, or this one once. A page of the cache costs
  /// as much processor time as what a partition does for the keys in it.
  void bypass_cache() noexcept;
  bool bypasses_cache() const noexcept { return direct_.is_open(); }
  /// Writes all of `bytes`; throws Error(io), for a full disk above all.
  void write_at(std::uint64_t offset, base::ByteView bytes);
  /// Makes the file empty again. Throws Error(io).
  void restart();
  /// The output that the file is for; what messages name.
  const std::filesystem::path& output() const noexcept { return target_.path(); }
  /// A name under which this process can open the file once more, until it is published.
  std::filesystem::path path_to_open() const;
  /// Why the file cannot grow: an error's number, as ENOSPC; 0 if it can. For writers that are told
  /// no more than that a write was cut short. The file is spoilt by it.
  int why_full() const noexcept;

  /// Hands the bytes to the output's function, or makes the content durable, waits for the output's
  /// lock, and gives the file the output's name at once and durably, with owner and permissions of
  /// the file it replaces. Last call. Throws Error(usage) if the name was taken meanwhile and may
  /// not be replaced, Error(io): then the output is as it was. What fails after that is a warning.
  Warnings publish();
  /// The same where the lock is held already, since the old output was read under it. Throws
  /// Error(io) also if another program, which does not know the lock, replaced that meanwhile.
  Warnings publish(const OutputLock& lock);
  /// For an output that is a directory, and locked: makes the content durable, and gives the file a
  /// name in the directory that is free. Last call. Throws Error(io), also if the name is taken.
  void publish_in(const OutputLock& lock, const std::string& name);

 private:
  friend class PendingGeneration;

  /// Makes the file on the file system of the output.
  void create();
  void create_with_name(mode_t mode);
  /// Moves what is in memory there.
  void spill();
  /// Gives the file's bytes to the target's function.
  void hand_over() const;
  void sync() const;
  /// Gives the file a name that is free; false if it is taken.
  bool take_free_name(const Directory& directory, const std::string& name);
  void take_temporary_name();
  /// Gives the file a name, at once, and takes it from what has it.
  void replace_name(const Directory& directory, const std::string& name);
  /// Puts the file in the place of what is locked; false if that is there no more.
  bool take_place(const OutputLock& lock);
  Warnings sync_name() const;
  [[noreturn]] void fail(const char* action) const;

  OutputTarget target_;
  std::optional<struct stat> found_;  ///< what had the output's name at first
  mode_t mode_ = 0;                   ///< of a new file
  std::string temporary_name_;        ///< in the target's parent; empty while the file has none
  base::FileDescriptor fd_;
  bool is_held_ = false;         ///< in memory: what a function gets, while it is little
  base::FileDescriptor direct_;  ///< the same file, past the page cache; closed where that is used
};

/// Adds "PATH: PROBLEM: the system's words for `error`", unless there is no memory for it: an
/// output that has its name is no failure for want of a warning.
void warn(Warnings& warnings, const std::filesystem::path& path, const char* problem,
          int error) noexcept;
/// Adds `more`, as far as there is memory for it.
void add_warnings(Warnings& warnings, Warnings more) noexcept;

/// Appends to a pending file through a buffer.
class Appender {
 public:
  explicit Appender(PendingFile& file) : file_(file) {}

  void append(base::ByteView bytes);
  std::uint64_t size() const noexcept { return flushed_ + buffered_; }
  /// Hands what is buffered to the file.
  void flush();

 private:
  PendingFile& file_;
  base::PageBuffer buffer_;  ///< from the first bytes on that wait
  std::size_t buffered_ = 0;
  std::uint64_t flushed_ = 0;
};

/// Holds back the signals that end a program, on this thread, while it lives: one that comes
/// meanwhile is delivered afterwards. (Other threads must block them themselves.)
class SignalPause {
 public:
  SignalPause() noexcept {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&ending, signal);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~SignalPause() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalPause(const SignalPause&) = delete;
  SignalPause& operator=(const SignalPause&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace crivo::file
