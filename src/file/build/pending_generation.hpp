// SPDX-License-Identifier: Apache-2.0
/// Directories of files that change from one generation of them to the next at once.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "file/directory.hpp"
#include "file/output_target.hpp"
#include "file/pending_file.hpp"

namespace crivo::file {

/// A generation made of pending files, by their names in the directory. The last is the *pointer*:
/// its name is the same in every generation, and what it holds says which files the others are; so
/// that the directory holds a whole generation at every moment. The others have names of their own
/// (generation_name()).
class PendingGeneration {
 public:
  using Members = std::vector<std::pair<std::string, PendingFile*>>;

  /// The pending files are of the same target, a directory whose members are of these families.
  PendingGeneration(OutputTarget target, Members members);
  ~PendingGeneration();
  PendingGeneration(const PendingGeneration&) = delete;
  PendingGeneration& operator=(const PendingGeneration&) = delete;

  /// Makes the content durable and waits for the output's lock. A new directory then gets the
  /// output's name at once and durably; to one that is there the files are added, with owners and
  /// permissions of those of their families, then the pointer takes the place of the old one, at
  /// once and durably, and the files of other generations are removed. Last call. Throws
  /// Error(usage) if the name was taken meanwhile and may not be replaced, Error(io): then the
  /// output is as it was. What fails after that is a warning.
  Warnings publish();
  /// The same for a caller that has held the lock of the directory since before it read there.
  Warnings publish_in(const OutputLock& lock);

 private:
  void create();
  void let_go() const noexcept;
  bool take_free_place();
  bool replace(const OutputLock& lock, Warnings& warnings);
  void keep_ownerships(const Directory& old) const;
  bool is_new(const std::string& name) const noexcept;
  void remove_others(const Directory& directory, Warnings& warnings) const;
  void remove_namesakes(const Directory& directory) const;
  [[noreturn]] void fail(const char* action) const;

  OutputTarget target_;
  Members members_;
  std::string temporary_name_;  ///< in the target's parent; empty while there is none
  base::FileDescriptor fd_;     ///< of a new directory
};

}  // namespace crivo::file
