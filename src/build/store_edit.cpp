// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <utility>

#include "base/as_error.hpp"
#include "build/store_lock.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/error.hpp"
#include "crivo/store.hpp"
#include "input/for_each_chunk.hpp"
#include "input/hash_keys.hpp"
#include "input/units.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/store_files.hpp"
#include "records/updates/build/overlay_change.hpp"
#include "records/updates/updated_records.hpp"

namespace crivo {

namespace {

using records::Overlay;

/// Changes of a store, and the right to make them.
struct StoreChanges {
  StoreChanges(const std::filesystem::path& path, Progress* progress)
      : lock(path, progress),
        files(lock.open(path)),
        hash_function(index::hash_function(files.index.header())),
        updates(files.updates),
        sealed(files.sealed->reader()) {
    const Overlay::Place place = files.updates_in(lock.directory());
    if (!updates) {
      Overlay::create(place, lock.target(), lock.lock(), files.index_file);
      updates = Overlay::open(place, file::Loading::mapped);
    }
    log = Overlay::open_to_change(place);
  }

  Overlay::Change& change() {
    if (!open_change) {
      open_change.emplace(updates, *files.sealed, log);
      committed = records::with_updates(files.sealed, updates);
      reader = committed->reader();
    }
    return *open_change;
  }

  enum class Presence { none, removed, present };
  /// Whether the key has a rank, and a record; the rank.
  Presence find(std::string_view key, const Hash128& hash, std::uint64_t& rank) {
    if (!is_of_the_build(key, hash, rank) && !change().find_added(hash, key, rank))
      return Presence::none;
    return change().is_removed(rank) ? Presence::removed : Presence::present;
  }

  using Outcome = Store::Writer::Outcome;
  Outcome set(std::string_view key, std::string_view record, SetKeys keys) {
    Overlay::Change::check(key, record);
    const Hash128 hash = detail::HashAccess::raw(hash_function, key);
    std::uint64_t rank = 0;
    const Presence presence = find(key, hash, rank);
    const bool is_there = presence == Presence::present;
    if (keys == SetKeys::existing && !is_there)
      throw Error(ErrorKind::bad_input, "the key " + quote(key) + " is not in the store");
    if (keys == SetKeys::added && is_there)
      throw Error(ErrorKind::bad_input, "the key " + quote(key) + " is in the store already");
    if (is_there && has_committed(rank, hash, key, record)) return Outcome::unchanged;
    if (presence == Presence::none) rank = change().add(hash, key);
    change().put(rank, key, record);
    return is_there ? Outcome::replaced : Outcome::added;
  }
  bool remove(std::string_view key) {
    const Hash128 hash = detail::HashAccess::raw(hash_function, key);
    std::uint64_t rank = 0;
    if (find(key, hash, rank) != Presence::present) return false;
    change().remove(rank);
    return true;
  }
  void commit() {
    if (!open_change) return;
    open_change->commit();
    open_change.reset();
  }
  /// As they will be once all is committed.
  std::uint64_t size() { return change().present(); }

  /// Whether the build had the key: whose rank it is, the build says.
  bool is_of_the_build(std::string_view key, const Hash128& hash, std::uint64_t& rank) {
    rank = files.ranks.lookup(key, hash);
    if (rank == index::RankIndex::kAbsent) return false;
    const records::Lookup found = sealed->find(rank, hash.hi, key);
    if (found.outcome == records::Outcome::damaged) {
      files.index.fail("the record of " + quote(key) + " is damaged");
    }
    return found.outcome == records::Outcome::found;
  }
  /// Whether the key, which has this rank, has this record since an earlier commit.
  bool has_committed(std::uint64_t rank, const Hash128& hash, std::string_view key,
                     std::string_view record) {
    if (change().has_changed(rank)) return false;
    const records::Lookup now = rank < files.index.header().keys ? reader->find(rank, hash.hi, key)
                                                                 : reader->find_added(hash, key);
    return now.outcome == records::Outcome::found && now.record == record;
  }

  index::StoreLock lock;
  index::StoreFiles files;
  HashFunction hash_function;
  std::shared_ptr<Overlay> updates;
  std::unique_ptr<records::RecordReader> sealed;
  base::FileDescriptor log;
  std::optional<Overlay::Change> open_change;
  std::shared_ptr<const records::RecordFile> committed;  ///< before that
  std::unique_ptr<records::RecordReader> reader;         ///< of these
};

/// Calls take(writer, chunk) for the chunks of the input in order, then commits.
template <typename Take>
StoreEdit edit_records(const std::filesystem::path& store, const KeyInput& input,
                       const input::UnitFraming& framing, Progress* progress, Take&& take) {
  StoreChanges writer(store, progress);
  Progress own;
  input::ChunkReader reader(input, framing, {.in_order = true});
  Progress& told = progress != nullptr ? *progress : own;
  told.begin("update", 0, Progress::Unit::bytes);
  StoreEdit done;
  input::for_each_chunk(reader, input, framing, {1, told},
                        [&](unsigned, const input::Chunk& chunk) { take(writer, chunk, done); });
  done.records = writer.size();
  told.settle();
  writer.commit();
  return done;
}

std::uint64_t& count_of(Store::Writer::Outcome outcome, StoreEdit& done) {
  switch (outcome) {
    case Store::Writer::Outcome::added:
      return done.added;
    case Store::Writer::Outcome::replaced:
      return done.replaced;
    case Store::Writer::Outcome::unchanged:
      break;
  }
  return done.unchanged;
}

/// set(), whose refusals get the place of the record in the input.
Store::Writer::Outcome set_at(StoreChanges& writer, std::string_view key, std::string_view record,
                              SetKeys keys, const input::Chunk& chunk, std::uint64_t index,
                              std::size_t offset) {
  try {
    return writer.set(key, record, keys);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw;
    throw input::InputFault(input::place_in(chunk, index, offset), error.what());
  }
}

}  // namespace

struct Store::Writer::Impl : StoreChanges {
  using StoreChanges::StoreChanges;
};

Store::Writer::Writer(const std::filesystem::path& directory, Progress* progress) try
    : impl_(std::make_unique<Impl>(directory, progress)) {
} catch (...) {
  base::rethrow_as_error();
}
Store::Writer::~Writer() = default;
Store::Writer::Writer(Writer&&) noexcept = default;
Store::Writer& Store::Writer::operator=(Writer&&) noexcept = default;

Store::Writer::Outcome Store::Writer::set(std::string_view key, std::string_view record) try {
  return impl_->set(key, record, SetKeys::any);
} catch (...) {
  base::rethrow_as_error();
}
bool Store::Writer::remove(std::string_view key) try { return impl_->remove(key); } catch (...) {
  base::rethrow_as_error();
}
void Store::Writer::commit() try { impl_->commit(); } catch (...) {
  base::rethrow_as_error();
}

StoreEdit set_records(const std::filesystem::path& store, const KeyInput& input, Progress* progress,
                      SetKeys keys) try {
  const auto set_chunk = [&](StoreChanges& writer, const input::Chunk& chunk, StoreEdit& done) {
    input::for_each_record(chunk, input.format,
                           [&](std::string_view key, std::string_view record, std::uint64_t index,
                               std::size_t offset) {
                             ++done.given;
                             ++count_of(set_at(writer, key, record, keys, chunk, index, offset),
                                        done);
                           });
  };
  return edit_records(store, input, input::UnitFraming::of_records(input.format), progress,
                      set_chunk);
} catch (...) {
  base::rethrow_as_error();
}

StoreEdit remove_records(const std::filesystem::path& store, const KeyInput& input,
                         Progress* progress) try {
  return edit_records(store, input, input::UnitFraming::of_keys(input.format), progress,
                      [&](StoreChanges& writer, const input::Chunk& chunk, StoreEdit& done) {
                        input::for_each_key(chunk, input.format,
                                            [&](std::string_view key, std::uint64_t, std::size_t) {
                                              ++done.given;
                                              if (!writer.remove(key)) ++done.absent;
                                            });
                      });
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
