// SPDX-License-Identifier: Apache-2.0
#include "records/updates/overlay.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <map>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/proc_name.hpp"
#include "crivo/error.hpp"
#include "records/lmdb.hpp"
#include "records/lmdb_guard.hpp"

namespace crivo::records {

namespace {

constexpr unsigned kMostReaders = 4096;
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

/// Whether the process may write to the file of that name, or make it where there is none.
bool may_write(const base::FileDescriptor& directory, const std::string& name) {
  const bool is_there = ::faccessat(directory.get(), name.c_str(), F_OK, 0) == 0;
  return ::faccessat(directory.get(), is_there ? name.c_str() : ".", W_OK, AT_EACCESS) == 0;
}

/// Whether the file is what LMDB makes where it finds none any more: without a transaction, of
/// which create() makes one.
bool is_made_by_opening(const base::FileDescriptor& file) {
  const auto page = static_cast<std::uint32_t>(::sysconf(_SC_PAGESIZE));
  if (file.size() != lmdb::kMetaPages * page) return false;
  try {
    return lmdb::TreeFile(file, page).last_meta().transaction == 0;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt) throw;
    return false;
  }
}

}  // namespace

void Overlay::fail(int result) const {
  if (result == MDB_MAP_FULL) {
    throw Error(ErrorKind::io,
                path_.string() + ": is full, with " + std::to_string(map_size_ >> 30) +
                    " GiB of updates (64, or a quarter of ulimit -v): compact the store",
                {.remedy = "compact_store"});
  }
  for (const int damage : {MDB_INVALID, MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_VERSION_MISMATCH}) {
    if (result == damage) fail_damaged(std::string("damaged: ") + mdb_strerror(result));
  }
  throw_lmdb_error(path_, result);
}
void Overlay::fail_damaged(const std::string& problem) const {
  throw Error(ErrorKind::corrupt, path_.string() + ": " + problem);
}
void Overlay::named(const std::function<void()>& work) const {
  try {
    work();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt) throw;
    fail_damaged(error.what());
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
  if (loading == file::Loading::copy || !may_write(place.directory, place.lock_name())) {
    std::shared_ptr<Overlay> copy(new Overlay(std::move(file), place));
    copy->make_copy();
    return copy;
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
  const auto directory = base::name_in_proc(place.directory);
  const std::string name = directory ? *directory + "/" + place.name : place.path.string();
  const auto entry = all.overlays.try_emplace(numbers).first;
  std::shared_ptr<Overlay> overlay;
  try {
    overlay.reset(new Overlay(std::move(file), place));
    overlay->open_lmdb(name, may_write(place.directory, place.name));
  } catch (...) {
    all.overlays.erase(entry);
    throw;
  }
  entry->second = overlay;
  overlay->is_listed_ = true;
  return overlay;
}

Overlay::Overlay(base::FileDescriptor file, const Place& place)
    : path_(place.path),
      content_id_(place.content_id),
      records_(place.records),
      file_(std::move(file)),
      marks_(base::div_ceil(place.records, 64)) {
  require_lmdb(path_);  // of a copy too, as its destructor calls LMDB
}

void Overlay::open_lmdb(const std::string& path_to_open, bool is_writable) {
  // LMDB believes its meta pages: they are checked before it sees them.
  named([&] { page_size_ = open_overlay(file_).page_size(); });
  first_map_.emplace(file_, path_.string(), file::Loading::live);
  if (const int result = mdb_env_create(&environment_); result != 0) fail(result);
  map_size_ = file_.size();
  int result = mdb_env_set_assert(environment_, leave_lmdb);
  if (result == 0) result = mdb_env_set_mapsize(environment_, map_size_);
  if (result == 0) result = mdb_env_set_maxreaders(environment_, kMostReaders);
  const unsigned flags =
      MDB_NOSUBDIR | MDB_NOTLS | MDB_NORDAHEAD | (is_writable ? 0U : unsigned{MDB_RDONLY});
  if (result == 0) result = mdb_env_open(environment_, path_to_open.c_str(), flags, kOverlayMode);
  if (result != 0) fail(result);
  int fd = -1;
  mdb_env_get_fd(environment_, &fd);
  const FileNumbers opened = numbers_of(fd);
  if (opened != numbers_of(file_.get())) {
    // The store was replaced, and LMDB may have made a file in the place of what it should open.
    struct stat status {};
    const bool is_there = ::stat(path_to_open.c_str(), &status) == 0 &&
                          FileNumbers{status.st_dev, status.st_ino} == opened;
    MDB_envinfo info{};
    mdb_env_info(environment_, &info);
    if (is_there && info.me_last_txnid == 0) ::unlink(path_to_open.c_str());
    fail_damaged("was replaced while it was opened; open the store again");
  }
  const std::scoped_lock lock(mutex_);
  MDB_txn* const transaction = begin_reading();
  result = mdb_dbi_open(transaction, nullptr, 0, &database_);  // sets how keys compare
  mdb_txn_abort(transaction);
  if (result != 0) fail(result);
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

bool Overlay::is_at(const std::filesystem::path& path) const noexcept {
  struct stat named {};
  return ::stat(path.c_str(), &named) == 0 &&
         FileNumbers{named.st_dev, named.st_ino} == numbers_of(file_.get());
}

std::uint64_t Overlay::bytes() const {
  return file_.size();
}

}  // namespace crivo::records
