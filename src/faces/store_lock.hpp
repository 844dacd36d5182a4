// SPDX-License-Identifier: Apache-2.0
/// What all that changes a store in its place begins with.
#pragma once

#include <filesystem>

#include "base/file_descriptor.hpp"
#include "file/output_lock.hpp"
#include "file/output_target.hpp"
#include "opening/store_files.hpp"

namespace crivo::index {

/// The right to change the store in a directory, which is there.
class StoreLock {
 public:
  /// Waits for it, and removes what killed builds left beside the store. Throws Error(usage) for a
  /// manifest, Error(io).
  explicit StoreLock(const std::filesystem::path& directory);
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

  /// Removes what a killed replacement may have left of generations other than that of `files`:
  /// updates of one would be those of a new generation with the same bytes. Throws Error(io).
  void remove_other_generations(const StoreFiles& files) const;

  const base::FileDescriptor& directory() const noexcept { return directory_; }
  const file::OutputTarget& target() const noexcept { return target_; }
  const file::OutputLock& lock() const noexcept { return lock_; }

 private:
  file::OutputTarget target_;
  file::OutputLock lock_;
  base::FileDescriptor directory_;
};

/// Throws Error(usage) where the backend of the store at `path` has no updates.
void require_updatable(const StoreFiles& files, const std::filesystem::path& path);

}  // namespace crivo::index
