// SPDX-License-Identifier: Apache-2.0
/// The first steps of everything that changes a store in its place.
#pragma once

#include <filesystem>
#include <string>

#include "base/file_descriptor.hpp"
#include "file/output_target.hpp"
#include "lookup/store_files.hpp"

namespace crivo::index {

/// Has a slot name the last commit of updates of the store in `target`, where one that was reported
/// is named by none: readers take such a commit while there is no writer alone, and would fall back
/// behind it while whoever calls this has the lock. For all who are to take the lock, before they
/// do. Does nothing where somebody has it, who did so before, and where the store cannot be opened:
/// its user, or who replaces it, is told of that by others.
void adopt_updates(const file::OutputTarget& target);

/// The right to change the store in a directory, which is there.
class StoreLock {
 public:
  /// Waits for it, unless the progress, which may be null, is cancelled, and removes what killed
  /// builds left beside the store. Throws Error(usage) for a manifest, Error(io, cancelled).
  StoreLock(const std::filesystem::path& directory, Progress* progress);
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

  /// Opens the store, which is at `path`, with all that was ever committed, and removes what a
  /// killed replacement left of other generations. Throws what StoreFiles::open() does.
  StoreFiles open(const std::filesystem::path& path) const;

  /// Removes the updates of `files`, of which nothing is committed. Throws Error(io).
  void remove_updates(const StoreFiles& files) const {
    remove(files.updates_path.filename().string());
  }

  const base::FileDescriptor& directory() const noexcept { return directory_; }
  const file::OutputTarget& target() const noexcept { return target_; }
  const file::OutputLock& lock() const noexcept { return lock_; }

 private:
  /// Removes the files of all generations but that of `files`. Throws Error(io).
  void remove_other_generations(const StoreFiles& files) const;
  void remove(const std::string& name) const;

  file::OutputTarget target_;
  file::OutputLock lock_;
  base::FileDescriptor directory_;
};

}  // namespace crivo::index
