// SPDX-License-Identifier: Apache-2.0
#include "records/updates/overlay.hpp"

#include <fcntl.h>
#include <lmdb.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <map>
#include <utility>

#include "bits/arithmetic.hpp"
#include "crivo/error.hpp"
#include "file/ownership.hpp"
#include "file/pending_file.hpp"
#include "records/file_copy.hpp"
#include "records/lmdb_appender.hpp"
#include "records/lmdb_guard.hpp"
#include "records/lmdb_page.hpp"
#include "records/updates/overlay_walk.hpp"

namespace crivo::records {

namespace {

/// What an overlay may grow to. It is mapped so long from the start, so that no reader has to map
/// it anew; memory and disk take what is there.
constexpr std::uint64_t kMapSize = std::uint64_t{64} << 30;
constexpr unsigned kMostReaders = 4096;
/// A writer that commits all the time can pass the transaction that a reader is looking for.
constexpr int kTries = 1000;
/// A file is empty for a moment when LMDB makes one where a build has just taken one away.
constexpr int kEmptyTries = 100;

/// Everyone may read; the umask has its say.
constexpr mdb_mode_t kOverlayMode = 0666;

struct FileNumbers {
  dev_t device;
  ino_t inode;
  auto operator<=>(const FileNumbers&) const = default;
};

FileNumbers numbers_of(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

/// The overlays that this process has open.
struct OpenOverlays {
  std::mutex mutex;
  std::condition_variable closed;
  std::map<FileNumbers, std::weak_ptr<Overlay>> overlays;
  /// What a child of fork() finds there is its parent's, and LMDB's locks are not the child's.
  pid_t process = ::getpid();
};
OpenOverlays& open_overlays() {
  static OpenOverlays all;
  return all;
}

std::string lock_name(const std::string& name) {
  return name + "-lock";
}

/// Whether the process may write to the file and its lock.
bool is_writable(const Overlay::Place& place) {
  const auto writable = [&](const std::string& name) {
    return ::faccessat(place.directory.get(), name.c_str(), W_OK, AT_EACCESS) == 0;
  };
  const bool has_lock =
      ::faccessat(place.directory.get(), lock_name(place.name).c_str(), F_OK, 0) == 0;
  return writable(place.name) && writable(has_lock ? lock_name(place.name) : ".");
}

/// Whether the file is what LMDB makes where it finds none any more: without a transaction, of
/// which create() makes one.
bool is_made_by_opening(const base::FileDescriptor& file) {
  const auto page = static_cast<std::uint32_t>(::sysconf(_SC_PAGESIZE));
  if (file.size() != lmdb::kMetaPages * page) return false;
  try {
    return last_transaction(file, page) == 0;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt) throw;
    return false;
  }
}

MDB_val value_of(base::ByteView bytes) {
  return {bytes.size(), const_cast<std::byte*>(bytes.data())};
}
base::ByteView bytes_of(const MDB_val& value) {
  return {static_cast<const std::byte*>(value.mv_data), value.mv_size};
}

Overlay::View::Found entry_of(int result, const MDB_val& value, std::uint64_t rank) noexcept {
  using What = Overlay::View::Found::What;
  if (result == MDB_NOTFOUND) return {};
  const auto entry =
      result == 0 ? UpdateEntry::decode(bytes_of(value), rank) : std::optional<UpdateEntry>();
  if (!entry) return {What::damaged, {}};
  return {What::entry, *entry};
}

}  // namespace

void Overlay::fail(int result) const {
  if (result == MDB_MAP_FULL) {
    throw Error(ErrorKind::io,
                path_.string() +
                    ": is full, with 64 GiB of updates: build the store anew, of "
                    "what it holds now",
                {.remedy = "for_each"});
  }
  for (const int damage : {MDB_INVALID, MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_VERSION_MISMATCH}) {
    if (result == damage) fail_damaged(std::string("damaged: ") + mdb_strerror(result));
  }
  throw_lmdb_error(path_, result);
}
void Overlay::fail_damaged(const std::string& problem) const {
  throw Error(ErrorKind::corrupt, path_.string() + ": " + problem);
}

void Overlay::create(const Place& place, const file::OutputTarget& target,
                     const file::OutputLock& lock, const base::FileDescriptor& like) {
  file::PendingFile pending(target);
  UpdateState state;
  state.content_id = place.content_id;
  {
    LmdbAppender appender(pending);
    appender.append(kIdentityKey, state.encode());
    appender.finish();
  }
  // Of none that is there; and what open() took for none.
  ::unlinkat(place.directory.get(), lock_name(place.name).c_str(), 0);
  ::unlinkat(place.directory.get(), place.name.c_str(), 0);
  pending.publish_in(lock, place.name);
  struct stat status {};
  const base::FileDescriptor made(
      ::openat(place.directory.get(), place.name.c_str(), O_RDWR | O_CLOEXEC));
  if (made.is_open() && ::fstat(like.get(), &status) == 0) {
    file::keep_ownership(made.get(), status, place.path);
  }
}

std::shared_ptr<Overlay> Overlay::open(const Place& place, file::Loading loading) {
  base::FileDescriptor file;
  for (int left = kEmptyTries;; --left) {
    file = base::FileDescriptor(
        ::openat(place.directory.get(), place.name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.is_open() && errno == ENOENT) return nullptr;
    if (!file.is_open()) base::throw_system_error(place.path.string() + ": cannot open", errno);
    if (file.size() != 0) break;
    if (left == 0) throw Error(ErrorKind::corrupt, place.path.string() + ": damaged: it is empty");
    ::usleep(1000);  // another process is about to fill it, or to take it away: see below
  }
  if (is_made_by_opening(file)) return nullptr;
  if (loading == file::Loading::copy) {
    for (int left = kTries;; --left) {
      try {
        base::FileDescriptor copy = copy_of(file, place.path);
        std::string name = "/proc/self/fd/" + std::to_string(copy.get());
        std::shared_ptr<Overlay> overlay(new Overlay(std::move(copy), name, place, true));
        View view(overlay);
        for (std::uint64_t rank = 0; rank < place.records; ++rank) {
          if (overlay->may_hold(rank) && view.find(rank).what != View::Found::What::entry) {
            overlay->fail_damaged("the update of rank " + std::to_string(rank) + " is damaged");
          }
        }
        return overlay;
      } catch (const Error& error) {  // a writer may have been at it meanwhile
        if (error.kind() != ErrorKind::corrupt || left == 0) throw;
        ::usleep(1000);
        if (left > 3) left = 3;
      }
    }
  }
  OpenOverlays& all = open_overlays();
  std::unique_lock lock(all.mutex);
  if (all.process != ::getpid()) {
    all.overlays.clear();
    all.process = ::getpid();
  }
  const FileNumbers numbers = numbers_of(file.get());
  for (auto own = all.overlays.find(numbers); own != all.overlays.end();
       own = all.overlays.find(numbers)) {
    if (std::shared_ptr<Overlay> open = own->second.lock()) return open;
    all.closed.wait(lock);  // another thread is about to close it
  }
  const std::string name =
      "/proc/self/fd/" + std::to_string(place.directory.get()) + "/" + place.name;
  const auto entry = all.overlays.try_emplace(numbers).first;
  std::shared_ptr<Overlay> overlay;
  try {
    overlay.reset(new Overlay(std::move(file), name, place, false));
  } catch (...) {
    all.overlays.erase(entry);
    throw;
  }
  entry->second = overlay;
  overlay->is_listed_ = true;
  return overlay;
}

Overlay::Overlay(base::FileDescriptor file, const std::string& path_to_open, const Place& place,
                 bool is_copy)
    : path_(place.path),
      content_id_(place.content_id),
      records_(place.records),
      file_(std::move(file)),
      marks_(bits::div_ceil(place.records, 64)) {
  if (const int result = mdb_env_create(&environment_); result != 0) fail(result);
  try {
    int result = mdb_env_set_assert(environment_, leave_lmdb);
    if (result == 0) result = mdb_env_set_mapsize(environment_, kMapSize);
    if (result == 0) result = mdb_env_set_maxreaders(environment_, kMostReaders);
    unsigned flags = MDB_NOSUBDIR | MDB_NOTLS | MDB_NORDAHEAD;
    if (is_copy) {
      flags |= MDB_RDONLY | MDB_NOLOCK;
    } else if (!is_writable(place)) {
      flags |= MDB_RDONLY;
    }
    if (result == 0) result = mdb_env_open(environment_, path_to_open.c_str(), flags, kOverlayMode);
    if (result == EACCES) {
      throw Error(ErrorKind::io,
                  path_.string() +
                      "-lock: may not be written, as readers of updates must: open "
                      "a copy",
                  {.remedy = "mode"});
    }
    if (result != 0) fail(result);
    int fd = -1;
    mdb_env_get_fd(environment_, &fd);
    const FileNumbers opened = numbers_of(fd);
    if (opened != numbers_of(file_.get())) {
      // The store was replaced, and LMDB may have made a file in the place of what it should open.
      struct stat status {};
      const bool is_there = ::stat(path_to_open.c_str(), &status) == 0 &&
                            FileNumbers{status.st_dev, status.st_ino} == opened;
      if (is_there && last_transaction() == 0) ::unlink(path_to_open.c_str());
      fail_damaged("was replaced while it was opened; open the store again");
    }
    MDB_stat stat;
    mdb_env_stat(environment_, &stat);
    page_size_ = stat.ms_psize;
    MDB_txn* transaction = nullptr;
    result = mdb_txn_begin(environment_, nullptr, MDB_RDONLY, &transaction);
    if (result != 0) fail(result);
    result = mdb_dbi_open(transaction, nullptr, 0, &database_);  // sets how keys compare
    mdb_txn_abort(transaction);
    if (result != 0) fail(result);
  } catch (...) {
    mdb_env_close(environment_);
    throw;
  }
}

Overlay::~Overlay() {
  if (!is_listed_) {  // a copy, or one that open(), which has the list locked, could not keep
    mdb_env_close(environment_);
    return;
  }
  OpenOverlays& all = open_overlays();
  const std::scoped_lock lock(all.mutex);
  const FileNumbers numbers = numbers_of(file_.get());
  mdb_env_close(environment_);
  all.overlays.erase(numbers);
  all.closed.notify_all();
}

std::uint64_t Overlay::last_transaction() const noexcept {
  MDB_envinfo info;
  return mdb_env_info(environment_, &info) == 0 ? info.me_last_txnid : 0;
}

std::uint64_t Overlay::bytes() const {
  return file_.size();
}

std::optional<UpdateState> Overlay::checked_state(std::uint64_t transaction) {
  const std::scoped_lock lock(mutex_);
  if (checked_transaction_ == transaction && transaction != 0) return checked_;
  std::optional<UpdateState> state;
  try {
    state = walk_overlay(file_, page_size_, transaction, [this](std::uint64_t rank) {
      if (rank >= records_) {
        throw Error(ErrorKind::corrupt,
                    "it has an entry of no record: rank " + std::to_string(rank));
      }
      mark(rank);
    });
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::corrupt) fail_damaged(error.what());
    throw;
  }
  if (!state) return state;
  if (state->version > UpdateState::kVersion) {
    throw Error(ErrorKind::too_new, path_.string() + ": of a later version; use a later program");
  }
  if (state->content_id != content_id_ || state->version == 0) {
    fail_damaged("is of another build than the store");
  }
  checked_transaction_ = transaction;
  checked_ = *state;
  return state;
}

Overlay::View::View(std::shared_ptr<Overlay> overlay) : overlay_(std::move(overlay)) {
  int result = mdb_txn_begin(overlay_->environment_, nullptr, MDB_RDONLY, &transaction_);
  if (result != 0) overlay_->fail(result);
  try {
    for (int left = kTries;; --left) {
      if (const auto state = overlay_->checked_state(mdb_txn_id(transaction_))) {
        state_ = *state;
        break;
      }
      if (left == 0) overlay_->fail_damaged("its pages disagree on its last transaction");
      mdb_txn_reset(transaction_);
      result = mdb_txn_renew(transaction_);
      if (result != 0) overlay_->fail(result);
    }
    result = mdb_cursor_open(transaction_, overlay_->database_, &cursor_);
    if (result != 0) overlay_->fail(result);
  } catch (...) {
    mdb_txn_abort(transaction_);
    throw;
  }
}

Overlay::View::~View() {
  mdb_cursor_close(cursor_);
  mdb_txn_abort(transaction_);
}

Overlay::View::Found Overlay::View::find(std::uint64_t rank) noexcept {
  MDB_val key{sizeof rank, &rank};
  MDB_val value{};
  return entry_of(guarded_get(cursor_, key, value, MDB_SET), value, rank);
}

Overlay::Change::Change(std::shared_ptr<Overlay> overlay) : overlay_(std::move(overlay)) {
  int dead = 0;
  (void)mdb_reader_check(overlay_->environment_, &dead);  // their pages can be used again
  state_ = View(overlay_).state();
  const int result = mdb_txn_begin(overlay_->environment_, nullptr, 0, &transaction_);
  if (result != 0) overlay_->fail(result);
}

Overlay::Change::~Change() {
  if (transaction_ != nullptr) mdb_txn_abort(transaction_);
}

Overlay::View::Found Overlay::Change::find(std::uint64_t rank) noexcept {
  MDB_val key{sizeof rank, &rank};
  MDB_val value{};
  const int result = mdb_get(transaction_, overlay_->database_, &key, &value);
  return entry_of(result, value, rank);
}

void Overlay::Change::put(std::uint64_t rank, const UpdateEntry& entry) {
  MDB_val key{sizeof rank, &rank};
  MDB_val old{};
  int result = mdb_get(transaction_, overlay_->database_, &key, &old);
  if (result == 0) {
    state_.totals.remove(bytes_of(old));
  } else if (result != MDB_NOTFOUND) {
    overlay_->fail(result);
  }
  const base::Bytes bytes = entry.encode(rank);
  MDB_val value = value_of(bytes);
  result = mdb_put(transaction_, overlay_->database_, &key, &value, 0);
  if (result != 0) overlay_->fail(result);
  state_.totals.add(bytes);
}

int Overlay::Change::put_state(base::ByteView state) noexcept {
  std::uint64_t rank = kIdentityKey;
  MDB_val key{sizeof rank, &rank};
  MDB_val value = value_of(state);
  const int result = mdb_put(transaction_, overlay_->database_, &key, &value, 0);
  return result != 0 ? result : mdb_txn_commit(std::exchange(transaction_, nullptr));
}

void Overlay::Change::commit() {
  ++state_.commits;
  const base::Bytes state = state_.encode();
  if (const int result = put_state(state); result != 0) overlay_->fail(result);
  // Once more, so that both of LMDB's meta pages, which have no checksum, lead to the same entries.
  // That this fails is no error of the commit, which is done.
  if (mdb_txn_begin(overlay_->environment_, nullptr, 0, &transaction_) != 0) return;
  (void)put_state(state);
}

}  // namespace crivo::records
