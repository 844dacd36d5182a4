// SPDX-License-Identifier: Apache-2.0
/// The path of an output: what it is, decided before any work, and who may read what replaces it.
///
/// One lock between all who replace an output.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
#include "crivo/progress.hpp"
#include "file/directory.hpp"

namespace crivo::file {

/// Takes the bytes of a file, piece by piece from front to back.
using WriteBytes = std::function<void(std::span<const std::byte> bytes)>;

/// The choice where the output's name is taken.
enum class IfExists {
  refuse,   ///< Error(usage)
  replace,  ///< the old output stays whole until the new one takes its name at once
};

/// A place for an output: free, or with what may be replaced there. Made before the work, so that
/// what cannot come to a good end is not begun. It holds the directory open in which the output
/// gets its name; copies share that.
///
/// A symbolic link is followed, once and for all, to the file or directory that is to be replaced.
/// Anything but a regular file (for a directory: a directory that holds nothing but regular files
/// of known names) is refused: devices, FIFOs, sockets, mount points, and links that lead to
/// nothing.
class OutputTarget {
 public:
  /// For a file `path`. Throws Error(usage) if the path is taken and may not be replaced, or cannot
  /// name an output; Error(io) if its directory cannot be opened, or what is to be replaced may be
  /// neither read nor written.
  static OutputTarget file(const std::filesystem::path& path, IfExists if_exists);
  /// For a directory `path` of files of the families `members` (family_of()); likewise.
  static OutputTarget directory(const std::filesystem::path& path, IfExists if_exists,
                                std::vector<std::string> members);

  /// For a function that gets the bytes of the file, which till then has no name in `temp_dir`;
  /// messages call it `name`. Throws Error(io) if that cannot be opened.
  static OutputTarget function(WriteBytes write, std::string name,
                               const std::filesystem::path& temp_dir);

  /// Throws Error(usage) if what is there now, or a file in it, is one of the `inputs`, by whatever
  /// name it is reached; "-" is standard input.
  void refuse_inputs(const std::vector<std::string>& inputs) const;
  /// Whether one of `paths` leads to what is there now, as above.
  bool is_among(const std::vector<std::string>& paths) const;

  /// Who may end a wait for the output's lock, and is asked before the output gets its name. Null:
  /// nobody. Outlives this.
  void set_progress(Progress* progress) noexcept { progress_ = progress; }
  Progress* progress() const noexcept { return progress_; }
  /// Before the output gets its name, or the function its bytes: throws Error(cancelled).
  void settle() const {
    if (progress_ != nullptr) progress_->settle();
  }

  /// As it was given: what messages name.
  const std::filesystem::path& path() const noexcept { return path_; }
  /// Where it leads to, if it is a symbolic link; otherwise the same.
  const std::filesystem::path& place() const noexcept { return place_; }
  /// Where the output's name is, and that name.
  const Directory& parent() const noexcept { return *parent_; }
  const std::string& name() const noexcept { return name_; }
  const std::vector<std::string>& members() const noexcept { return members_; }
  /// Null where the output is to have a name.
  const WriteBytes& function() const noexcept { return write_; }

  /// Returns the status of what is there now: nothing if the name is free. Throws as the functions
  /// above do.
  std::optional<struct stat> look() const;
  /// Opens what is there, for its lock: not open if the name is free. Throws Error(io).
  base::FileDescriptor open(int access = O_RDONLY) const;

 private:
  enum class Shape { file, directory };
  OutputTarget(std::filesystem::path path, Shape shape, IfExists if_exists,
               std::vector<std::string> members);
  OutputTarget(WriteBytes write, std::string name, const std::filesystem::path& temp_dir);

  std::filesystem::path find_place() const;
  void check_shape(mode_t mode) const;
  void check_members() const;
  [[noreturn]] void refuse(const std::string& why, const char* remedy = "") const;

  std::filesystem::path path_;
  std::filesystem::path place_;
  Shape shape_;
  IfExists if_exists_;
  std::vector<std::string> members_;
  WriteBytes write_;
  std::shared_ptr<const Directory> parent_;
  std::string name_;
  Progress* progress_ = nullptr;
};

/// Gives the open file or directory the owner, group and permissions of the one it replaces, as far
/// as the process may. Where it may not set the group, the group gets what all others have. No file
/// gets set-user-ID or set-group-ID. Access control lists and extended attributes are not kept.
/// Throws Error(io), which names `path`.
void keep_ownership(int fd, const struct stat& old, const std::filesystem::path& path);

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
