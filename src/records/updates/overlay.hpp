// SPDX-License-Identifier: Apache-2.0
/// An overlay: what has become of some records of a sealed store since it was built, in an LMDB
/// environment of its own, beside the data file. See formats/store.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.hpp"
#include "file/mapped_file.hpp"
#include "file/output_lock.hpp"
#include "file/output_target.hpp"
#include "records/lookup.hpp"
#include "records/updates/update_entry.hpp"

struct MDB_env;
struct MDB_txn;
struct MDB_cursor;

namespace crivo::records {

/// An open overlay, for any number of threads. A process has each file open once, however often it
/// is opened, since LMDB's locks are those of processes.
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

  /// Null if there is none. A copy is read whole and checked. Throws Error(corrupt, too_new),
  /// Error(io): also where it can be read and its lock file, which readers write to, not be
  /// written.
  static std::shared_ptr<Overlay> open(const Place& place, file::Loading loading);
  /// Makes an empty one in the store `target`, whose lock is held: it is there at once and whole,
  /// with owner and permissions of `like`. Throws Error(io).
  static void create(const Place& place, const file::OutputTarget& target,
                     const file::OutputLock& lock, const base::FileDescriptor& like);

  ~Overlay();
  Overlay(const Overlay&) = delete;
  Overlay& operator=(const Overlay&) = delete;

  /// The number of the last transaction: another means that there are other updates. Without a
  /// system call.
  std::uint64_t last_transaction() const noexcept;
  std::uint64_t bytes() const;
  /// Throws Error(corrupt), which names the file.
  [[noreturn]] void fail_damaged(const std::string& problem) const;

  /// Whether there may be an entry for a rank below records(): surely where a View that was made
  /// before finds one.
  bool may_hold(std::uint64_t rank) const noexcept {
    return (marks_[rank / 64].load(std::memory_order_relaxed) >> rank % 64 & 1) != 0;
  }

  /// What one thread sees: the updates that were committed when it was made.
  class View {
   public:
    /// Walks the tree, if no other View of the process has walked the same. Throws Error(corrupt)
    /// where that is damaged, Error(io) if there are 4096 readers already.
    explicit View(std::shared_ptr<Overlay> overlay);
    ~View();
    View(const View&) = delete;
    View& operator=(const View&) = delete;

    const UpdateState& state() const noexcept { return state_; }
    struct Found {
      enum class What { nothing, entry, damaged } what = What::nothing;
      UpdateEntry entry;  ///< valid as long as the view
    };
    Found find(std::uint64_t rank) noexcept;

   private:
    std::shared_ptr<Overlay> overlay_;
    UpdateState state_;
    MDB_txn* transaction_ = nullptr;
    MDB_cursor* cursor_ = nullptr;
  };

  /// One transaction of the one writer. Throws Error(io) from all functions but the destructor,
  /// which drops what was not committed.
  class Change {
   public:
    explicit Change(std::shared_ptr<Overlay> overlay);
    ~Change();
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

    View::Found find(std::uint64_t rank) noexcept;
    void put(std::uint64_t rank, const UpdateEntry& entry);
    const UpdateTotals& totals() const noexcept { return state_.totals; }
    /// Makes the changes durable and visible, at once. Last call.
    void commit();

   private:
    /// Puts the state and commits the transaction: LMDB's answer.
    int put_state(base::ByteView state) noexcept;

    std::shared_ptr<Overlay> overlay_;
    UpdateState state_;
    MDB_txn* transaction_ = nullptr;
  };

 private:
  Overlay(base::FileDescriptor file, const std::string& path_to_open, const Place& place,
          bool is_copy);

  void mark(std::uint64_t rank) noexcept {
    marks_[rank / 64].fetch_or(std::uint64_t{1} << rank % 64, std::memory_order_relaxed);
  }
  /// The state that a transaction left, whose pages a reader's slot keeps; nothing if the file does
  /// not name it any more.
  std::optional<UpdateState> checked_state(std::uint64_t transaction);
  [[noreturn]] void fail(int result) const;

  std::filesystem::path path_;
  ContentId content_id_;
  std::uint64_t records_;
  base::FileDescriptor file_;
  MDB_env* environment_ = nullptr;
  unsigned database_ = 0;
  std::uint32_t page_size_ = 0;
  std::vector<std::atomic<std::uint64_t>> marks_;  ///< a bit for each rank

  std::mutex mutex_;  ///< of what follows
  std::uint64_t checked_transaction_ = 0;
  UpdateState checked_;

  bool is_listed_ = false;  ///< among those that the process has open
};

}  // namespace crivo::records
