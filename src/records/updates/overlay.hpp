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
#include "records/updates/mapped_tree.hpp"
#include "records/updates/overlay_walk.hpp"
#include "records/updates/update_entry.hpp"

struct MDB_env;
struct MDB_txn;

namespace crivo::records {

/// An open overlay, for any number of threads. LMDB writes it, and keeps the pages that a reader
/// uses; lookups read these without LMDB, which trusts every page. A process has each file open
/// once, however often it is opened, since LMDB's locks are those of processes.
class Overlay {
 public:
  /// Where it is, and of which store.
  struct Place {
    const base::FileDescriptor& directory;
    std::string name;
    std::filesystem::path path;  ///< what messages call it
    ContentId content_id{};
    std::uint64_t records = 0;

    /// Of the file that LMDB locks.
    std::string lock_name() const { return name + "-lock"; }
  };

  /// Null if there is none. A copy of the entries, all of them checked, is made for Loading::copy,
  /// and where the process may not write to the lock file, which other readers write to. Throws
  /// Error(corrupt, too_new), Error(io).
  static std::shared_ptr<Overlay> open(const Place& place, file::Loading loading);
  /// Makes an empty one in the store `target`, whose lock is held: it is there at once and whole,
  /// with owner and permissions of `like`. Throws Error(io).
  static void create(const Place& place, const file::OutputTarget& target,
                     const file::OutputLock& lock, const base::FileDescriptor& like);

  ~Overlay();
  Overlay(const Overlay&) = delete;
  Overlay& operator=(const Overlay&) = delete;

  /// The number of the last transaction: another means that there are other updates. Without a
  /// system call. Of a copy that when it was made.
  std::uint64_t last_transaction() const noexcept;
  /// Whether this is a copy, and there were updates since it was made. A system call of a copy.
  bool is_old_copy() const noexcept;
  /// Whether the name leads to this file. A system call.
  bool is_at(const std::filesystem::path& path) const noexcept;
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
    /// Checks what no lookup reads and the next writer relies on: check_pages(). Nothing of a copy.
    /// Throws Error(corrupt), Error(io).
    void check_free_pages();

   private:
    std::shared_ptr<Overlay> overlay_;
    MDB_txn* transaction_ = nullptr;  ///< which keeps the pages; none of a copy
    UpdateState state_;
    lmdb::Meta meta_{};
    std::shared_ptr<const file::MappedFile> mapped_;
    MappedTree tree_;
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
  /// The entries of a transaction, for readers that cannot keep its pages.
  struct Copy {
    struct Entry {
      std::uint64_t rank;
      std::uint64_t begin;  ///< of the value, among all values
    };
    base::ByteView find(std::uint64_t rank) const noexcept;  ///< empty if there is none

    WalkedOverlay walked;
    std::vector<Entry> entries;  ///< in the order of ranks
    base::Bytes values;
  };

  /// Then make_copy() or open_lmdb() is called.
  Overlay(base::FileDescriptor file, const Place& place);
  void make_copy();
  void open_lmdb(const std::string& path_to_open, bool is_writable);

  void mark(std::uint64_t rank) noexcept {
    marks_[rank / 64].fetch_or(std::uint64_t{1} << rank % 64, std::memory_order_relaxed);
  }
  void check_rank(std::uint64_t rank) const;
  void check_build(const UpdateState& state) const;
  /// Calls work(), whose Error(corrupt) gets the file's name.
  void named(const std::function<void()>& work) const;

  // With mutex_ locked:
  /// LMDB's read transaction, where LMDB has to map more of the file first.
  MDB_txn* begin_reading();
  /// What a transaction left, whose pages a reader's slot keeps; nothing if the file does not name
  /// it any more.
  std::optional<WalkedOverlay> walked(std::uint64_t transaction);
  std::shared_ptr<const file::MappedFile> mapped_to(const lmdb::Meta& meta);
  void map_for_lmdb(std::uint64_t size);
  /// Makes LMDB's map as long as the updates may become.
  void make_room();

  /// What this process has committed needs no walk.
  void note(std::uint64_t transaction, const UpdateState& state) noexcept;
  [[noreturn]] void fail(int result) const;

  std::filesystem::path path_;
  ContentId content_id_;
  std::uint64_t records_;
  base::FileDescriptor file_;
  std::vector<std::atomic<std::uint64_t>> marks_;  ///< a bit for each rank
  std::unique_ptr<const Copy> copy_;               ///< else what follows is used

  MDB_env* environment_ = nullptr;
  unsigned database_ = 0;
  std::uint32_t page_size_ = 0;
  std::optional<file::MappedFile> first_map_;  ///< of which the meta pages are read

  std::mutex mutex_;  ///< of what follows, and of LMDB's map, which its own transactions use
  std::uint64_t map_size_ = 0;              ///< 0 where LMDB could not map the file
  std::optional<WalkedOverlay> walked_;     ///< the last that was
  std::uint64_t writable_transaction_ = 0;  ///< the last of which all pages were checked
  std::shared_ptr<const file::MappedFile> mapped_;

  bool is_listed_ = false;  ///< among those that the process has open
};

}  // namespace crivo::records
