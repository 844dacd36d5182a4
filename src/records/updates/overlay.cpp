// SPDX-License-Identifier: Apache-2.0
#include "records/updates/overlay.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "crivo/error.hpp"
#include "records/codec.hpp"

namespace crivo::records {

namespace {

/// A number of what the slots say, read by `load(place)`, 8 bytes at a time. That they are whole is
/// not known: their checks count, as a damaged slot may have the number that the next commit gets.
template <typename Load>
std::uint64_t change_of(Load&& load) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t change = 0;
  for (const std::uint64_t slot : {LogSlot::place(0), LogSlot::place(1)}) {
    for (const std::uint64_t field : {LogSlot::kCommitAt, LogSlot::kCheckAt}) {
      change = change * kOdd + load(slot + field);
    }
  }
  return change;
}

std::uint64_t change_in(const base::FileDescriptor& file) {
  return change_of([&](std::uint64_t place) {
    std::array<std::byte, 8> bytes{};
    (void)file.read_at(place, bytes);
    return base::load_le<std::uint64_t>(bytes.data());
  });
}

/// Whether nobody has the right to change the store; where that cannot be told, too.
bool has_no_writer(const base::FileDescriptor& directory) noexcept {
  if (::flock(directory.get(), LOCK_SH | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  ::flock(directory.get(), LOCK_UN);
  return true;
}

}  // namespace

Overlay::Overlay(base::FileDescriptor file, const Place& place)
    : path_(place.path),
      content_id_(place.content_id),
      records_(place.records),
      file_(std::move(file)) {}

void Overlay::fail_damaged(const std::string& problem) const {
  throw Error(ErrorKind::corrupt, path_.string() + ": " + problem);
}

void Overlay::named(const std::function<void()>& work) const {
  try {
    work();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt && error.kind() != ErrorKind::too_new) throw;
    throw Error(error.kind(), path_.string() + ": " + error.what());
  }
}

std::shared_ptr<Overlay> Overlay::open(const Place& place, file::Loading loading) {
  base::FileDescriptor file(
      ::openat(place.directory.get(), place.name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open() && errno == ENOENT) return nullptr;
  if (!file.is_open()) base::throw_system_error(place.path.string() + ": cannot open", errno);
  file.expect(base::FileDescriptor::Access::at_random);
  std::shared_ptr<Overlay> overlay(new Overlay(std::move(file), place));
  // Everything read after this number is at least as new.
  overlay->first_change_ = change_in(overlay->file_);
  const bool is_copy = file::copies(loading);
  overlay->loading_ = is_copy ? file::Loading::copy : file::Loading::live;
  const std::scoped_lock lock(overlay->mutex_);
  overlay->load([&] { return has_no_writer(place.directory); });
  if (!is_copy) overlay->front_ = overlay->mapped_;
  overlay->seen_change_ = overlay->first_change_;
  return overlay;
}

base::FileDescriptor Overlay::open_to_change(const Place& place) {
  base::FileDescriptor file(
      ::openat(place.directory.get(), place.name.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) base::throw_system_error(place.path.string() + ": cannot write", errno);
  return file;
}

void Overlay::load(const std::function<bool()>& takes_unnamed) {
  named([&] {
    const LastCommit last = read_slots(file_, content_id_);
    LogSlot slot = last.slot;
    // A slot that is not whole may be that of the next commit, which is durable then.
    while (true) {
      const auto next = CommitHead::read(file_, slot.end);
      if (!next || next->commit != slot.commit + 1) break;
      if (!last.is_damaged && !takes_unnamed()) break;
      if (!next->fits(file_, slot.end)) break;
      slot = slot_of(*next, file_, slot.end, content_id_);
    }
    // A slot is written when its commit is durable: what stands there, damaged, may be that commit.
    if (last.is_damaged && slot.commit == last.slot.commit &&
        has_bytes(file_, slot.end, slot.end + kLogFront) && takes_unnamed()) {
      throw Error(ErrorKind::corrupt,
                  "damaged: a slot, and the bytes behind the last commit of the other slot");
    }
    if (snapshot_ && slot.commit <= snapshot_->slot().commit) return;
    if (!mapped_ || mapped_->bytes().size() < slot.end) {
      mapped_ = std::make_shared<const file::MappedFile>(file_, path_.string(), loading_);
    }
    snapshot_ = std::make_shared<const UpdateSnapshot>(mapped_, slot, records_, snapshot_.get());
  });
}

std::shared_ptr<const UpdateSnapshot> Overlay::current() {
  const std::scoped_lock lock(mutex_);
  if (const std::uint64_t change = last_change(); change != seen_change_) {
    load([] { return false; });
    seen_change_ = change;
  }
  return snapshot_;
}

void Overlay::check(const UpdateSnapshot& last) const {
  named([&] {
    check_front(file_, content_id_);
    check_commits(file_, last.slot());
    last.check_runs();
  });
}

void Overlay::visit_updates(const UpdateSnapshot& last,
                            const RecordFile::VisitUpdate& visit) const {
  named([&] {
    last.visit_updates([&](const UpdateEntry& entry) { visit(entry.rank, entry.is_removal()); });
  });
}

std::uint64_t Overlay::last_change() const noexcept {
  if (!front_) return first_change_;
  return change_of([&](std::uint64_t place) {
    const std::byte* const at = front_->bytes().data() + place;
    return __atomic_load_n(reinterpret_cast<const std::uint64_t*>(at), __ATOMIC_ACQUIRE);
  });
}

bool Overlay::is_old_copy() const noexcept {
  if (front_) return false;
  try {
    return change_in(file_) != first_change_;
  } catch (const Error&) {
    return true;  // opening it anew will say why
  }
}

bool Overlay::is_at(const std::filesystem::path& path) const noexcept {
  struct stat named {};
  struct stat own {};
  return ::stat(path.c_str(), &named) == 0 && ::fstat(file_.get(), &own) == 0 &&
         named.st_dev == own.st_dev && named.st_ino == own.st_ino;
}

Overlay::View::View(std::shared_ptr<const UpdateSnapshot> updates, const RecordFile& sealed)
    : snapshot_(std::move(updates)), unit_(sealed.codec()) {}

bool Overlay::View::find(std::uint64_t rank, std::string_view key, Lookup& found) noexcept {
  if (!snapshot_->may_hold(rank)) return false;
  const UpdateSnapshot::Found update = snapshot_->find(rank);
  if (update.what == Outcome::absent) return false;
  if (update.what == Outcome::damaged) {
    found = {Outcome::damaged, {}};
  } else if (update.entry.is_removal()) {
    found = {};
  } else if (unit_.by_record()) {
    found = unit_.find(update.unit, rank, key);
  } else {
    std::string_view stored;
    std::string_view record;
    if (!take_unit(update.unit, rank, stored, record)) {
      found = {Outcome::damaged, {}};
    } else {
      found = stored == key ? Lookup{Outcome::found, record} : Lookup{};
    }
  }
  return true;
}

Lookup Overlay::View::find_added(const Hash128& hash, std::string_view key) noexcept {
  std::uint64_t rank = 0;
  const Outcome outcome = snapshot_->find_added(hash, rank);
  Lookup found{outcome, {}};
  if (outcome == Outcome::found) find(rank, key, found);
  return found;
}

Overlay::View::Fate Overlay::View::added(std::uint64_t rank, std::string_view& key,
                                         std::string_view& record) noexcept {
  const UpdateSnapshot::Found update = snapshot_->find(rank);
  if (update.what != Outcome::found) return Fate::damaged;
  if (update.entry.is_removal()) return Fate::removed;
  return take_unit(update.unit, rank, key, record) ? Fate::changed : Fate::damaged;
}

Overlay::View::Fate Overlay::View::fate(std::uint64_t rank, std::string_view key,
                                        std::string_view& record) noexcept {
  if (!snapshot_->may_hold(rank)) return Fate::sealed;
  const UpdateSnapshot::Found update = snapshot_->find(rank);
  if (update.what == Outcome::absent) return Fate::sealed;
  if (update.what == Outcome::damaged) return Fate::damaged;
  if (update.entry.is_removal()) return Fate::removed;
  std::string_view stored;
  return take_unit(update.unit, rank, stored, record) && stored == key ? Fate::changed
                                                                       : Fate::damaged;
}

bool Overlay::View::take_unit(base::ByteView unit, std::uint64_t rank, std::string_view& key,
                              std::string_view& record) noexcept {
  return unit_.open(unit, rank) && unit_.records() == 1 && unit_.take(key, record) &&
         unit_.is_finished();
}

}  // namespace crivo::records
