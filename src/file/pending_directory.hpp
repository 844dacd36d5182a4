/// Directories of files that appear whole or not at all.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "file/directory.hpp"
#include "file/output_lock.hpp"
#include "file/output_target.hpp"
#include "file/pending_file.hpp"

namespace crivo::file {

/// A directory made of pending files, by their names in it.
class PendingDirectory {
 public:
  using Members = std::vector<std::pair<std::string, PendingFile*>>;

  /// The pending files are of the same target, which is a directory with members of these names.
  PendingDirectory(OutputTarget target, Members members);
  ~PendingDirectory();
  PendingDirectory(const PendingDirectory&) = delete;
  PendingDirectory& operator=(const PendingDirectory&) = delete;

  /// Makes the content durable, waits for the output's lock, and gives the directory the output's
  /// name at once and durably, with owners and permissions of the directory that it replaces and of
  /// the files in that; then the old directory is removed. Last call. Throws Error(usage) if the
  /// name was taken meanwhile and may not be replaced, Error(io): then the output is as it was.
  /// What fails after that is a warning.
  Warnings publish();

 private:
  void create(bool replaces);
  bool take_place(const OutputLock& lock, Warnings& warnings);
  void keep_ownerships(const struct stat& old, int old_directory) const;
  void remove_old(const OutputLock& lock, Warnings& warnings);
  [[noreturn]] void fail(const char* action) const;

  OutputTarget target_;
  Members members_;
  std::string temporary_name_;  ///< in the target's parent; empty while there is none
  base::FileDescriptor fd_;     ///< of the new directory
};

}  // namespace crivo::file
