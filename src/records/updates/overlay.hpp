// SPDX-License-Identifier: Apache-2.0
/// An overlay: what has become of some records of a sealed store since it was built, in a log
/// beside the data file. See formats/store.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.hpp"
#include "file/mapped_file.hpp"
#include "records/backend.hpp"
#include "records/lookup.hpp"
#include "records/unit.hpp"
#include "records/updates/update_snapshot.hpp"

namespace crivo::records {

/// An open overlay, for any number of threads. Who reads needs permission to read, and holds
/// nothing up: what was committed is never written over.
class Overlay {
 public:
  /// Where it is, and of which store.
  struct Place {
    const base::FileDescriptor& directory;
    std::string name;
    std::filesystem::path path;  ///< what messages call it
    ContentId content_id{};
    std::uint64_t records = 0;
  };

  /// Null if there is none. Loading::copy takes the whole log into memory. Throws Error(corrupt,
  /// too_new), Error(io). Cost: a read of the front and of the last commit's record, 64 KiB at
  /// most.
  static std::shared_ptr<Overlay> open(const Place& place, file::Loading loading);
  /// Makes an empty one in the store `target`, whose lock is held: it is there at once and whole,
  /// with owner and permissions of `like`. Throws Error(io).
  static void create(const Place& place, const file::OutputTarget& target,
                     const file::OutputLock& lock, const base::FileDescriptor& like);
  /// The file, for a Change. Throws Error(io).
  static base::FileDescriptor open_to_change(const Place& place);

  Overlay(const Overlay&) = delete;
  Overlay& operator=(const Overlay&) = delete;

  /// A number that is another after each commit. Without a system call. Of a copy that when it was
  /// made.
  std::uint64_t last_change() const noexcept;
  /// Whether this is a copy, and there were commits since it was made. A system call of a copy.
  bool is_old_copy() const noexcept;
  /// Whether the name leads to this file. A system call.
  bool is_at(const std::filesystem::path& path) const noexcept;
  std::uint64_t bytes() const { return file_.size(); }
  /// The updates as of the last commit. Throws Error(corrupt), Error(io).
  std::shared_ptr<const UpdateSnapshot> current();
  /// Names in a slot a commit that is whole, and of which a writer was killed or the power lost
  /// before it could. The store's lock is held, and `log` is open_to_change(). The updates as of
  /// that commit. Throws as current() does.
  std::shared_ptr<const UpdateSnapshot> adopt_last_commit(const base::FileDescriptor& log);
  /// Checks every byte of all commits up to that of `last`, which is of this, and that entries are
  /// as many as it says. Throws Error(corrupt), Error(io).
  void check(const UpdateSnapshot& last) const;
  /// Calls `visit` with the ranks that have an update as of `last`, which is of this, in order. The
  /// same.
  void visit_updates(const UpdateSnapshot& last, const RecordFile::VisitUpdate& visit) const;
  /// Throws Error(corrupt), which names the file.
  [[noreturn]] void fail_damaged(const std::string& problem) const;

  /// One thread's way to the updates as of a commit.
  class View {
   public:
    /// Over the records of `sealed`, whose codec encodes them, and which outlives this.
    View(std::shared_ptr<const UpdateSnapshot> updates, const RecordFile& sealed);

    /// Whether the rank's record was changed or removed: then what a lookup of `key` finds.
    bool find(std::uint64_t rank, std::string_view key, Lookup& found) noexcept;
    /// The record of a key with this hash that the build did not have.
    Lookup find_added(const Hash128& hash, std::string_view key) noexcept;
    /// Returns the fate of a rank, whose key has to be `key`: `record` is set if it was changed.
    enum class Fate { sealed, changed, removed, damaged };
    Fate fate(std::uint64_t rank, std::string_view key, std::string_view& record) noexcept;
    /// The same of the rank of an added key, whose key is set, too; never `sealed`.
    Fate added(std::uint64_t rank, std::string_view& key, std::string_view& record) noexcept;

   private:
    bool take_unit(base::ByteView unit, std::uint64_t rank, std::string_view& key,
                   std::string_view& record) noexcept;

    std::shared_ptr<const UpdateSnapshot> snapshot_;
    UnitReader unit_;
  };

  class Change;

 private:
  Overlay(base::FileDescriptor file, const Place& place);

  /// Calls work(), whose errors of the content get the file's name.
  void named(const std::function<void()>& work) const;
  /// With mutex_ locked. A commit that is whole and that no slot names counts if
  /// `takes_unnamed()`: while there is a writer nobody knows whether it is durable. Throws as
  /// current() does.
  void load(const std::function<bool()>& takes_unnamed);

  std::filesystem::path path_;
  ContentId content_id_;
  std::uint64_t records_;
  base::FileDescriptor file_;
  file::Loading loading_ = file::Loading::live;
  std::uint64_t first_change_ = 0;                 ///< last_change() when it was opened
  std::shared_ptr<const file::MappedFile> front_;  ///< the slots are in it; null of a copy

  std::mutex mutex_;  ///< of what follows
  std::shared_ptr<const file::MappedFile> mapped_;
  std::shared_ptr<const UpdateSnapshot> snapshot_;
  std::uint64_t seen_change_ = 0;  ///< that snapshot_ is of
};

/// The records of `base` with the updates that are committed by now, and with none that come later.
/// Throws as Overlay::current() does.
std::shared_ptr<const RecordFile> with_updates(std::shared_ptr<const RecordFile> base,
                                               std::shared_ptr<Overlay> overlay);

}  // namespace crivo::records
