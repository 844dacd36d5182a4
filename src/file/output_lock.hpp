// SPDX-License-Identifier: Apache-2.0
/// One lock between all who replace an output.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "base/file_descriptor.hpp"
#include "file/output_target.hpp"

namespace crivo::file {

/// The right to replace an output: a lock (flock) on the file or directory that has its name, which
/// ends with the object or its process. Whoever reads what he replaces takes it before he reads;
/// all others just before they publish. Readers take none, and nobody waits for them.
///
/// Where the name is free there is nothing to lock, and nothing that could be lost: then a name is
/// given only if it is still free.
class OutputLock {
 public:
  /// Waits for the lock of what has the name, and then of what took its place meanwhile. Throws
  /// Error(usage) if that may not be replaced, Error(io), Error(cancelled) as the target's progress
  /// is.
  explicit OutputLock(const OutputTarget& target);

  /// The file that is locked: nothing if the name was free.
  const std::optional<struct stat>& replaced() const noexcept { return replaced_; }
  int get() const noexcept { return fd_.get(); }
  /// Whether the name still leads to what is locked. Needs replaced().
  bool holds(const OutputTarget& target) const noexcept;

 private:
  base::FileDescriptor fd_;
  std::optional<struct stat> replaced_;
};

/// The right to give a free name, for work that must know before it begins that nobody else does
/// it: a lock on an empty file beside it, which goes with the object.
class NameLock {
 public:
  /// Waits as OutputLock does; then the name may be taken. Throws Error(io).
  explicit NameLock(const OutputTarget& target);
  ~NameLock();
  NameLock(const NameLock&) = delete;
  NameLock& operator=(const NameLock&) = delete;

 private:
  const OutputTarget target_;
  std::string name_;
  base::FileDescriptor fd_;
};

}  // namespace crivo::file
