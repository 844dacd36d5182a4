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
        records(files.sealed->reader()) {
    const Overlay::Place place = files.updates_in(lock.directory());
    if (!updates) {
      Overlay::create(place, lock.target(), lock.lock(), files.index_file);
      updates = Overlay::open(place, file::Loading::mapped);
    }
    log = Overlay::open_to_change(place);
  }

  Overlay::Change& change() {
    if (!open_change) open_change.emplace(updates, *files.sealed, log);
    return *open_change;
  }

  enum class Presence { none, removed, present };
  /// Whether the key is one of the store; its rank.
  Presence find(std::string_view key, std::uint64_t& rank) {
    const Hash128 hash = detail::HashAccess::raw(hash_function, key);
    rank = files.ranks.lookup(key, hash);
    if (rank == index::RankIndex::kAbsent) return Presence::none;
    // Whose rank it is, the build says.
    const records::Lookup sealed = records->find(rank, hash.hi, key);
    if (sealed.outcome == records::Outcome::damaged) {
      files.index.fail("the record of " + quote(key) + " is damaged");
    }
    if (sealed.outcome == records::Outcome::absent) return Presence::none;
    return change().is_removed(rank) ? Presence::removed : Presence::present;
  }

  /// False if the key is none of the store.
  bool set(std::string_view key, std::string_view record) {
    Overlay::Change::check(key, record);
    std::uint64_t rank = 0;
    if (find(key, rank) == Presence::none) return false;
    change().put(rank, key, record);
    return true;
  }
  bool remove(std::string_view key) {
    std::uint64_t rank = 0;
    if (find(key, rank) != Presence::present) return false;
    change().remove(rank);
    return true;
  }
  void commit() {
    if (!open_change) return;
    open_change->commit();
    open_change.reset();
  }
  /// As they will be once all is committed.
  std::uint64_t size() { return files.index.header().keys - change().removed(); }

  index::StoreLock lock;
  index::StoreFiles files;
  HashFunction hash_function;
  std::shared_ptr<Overlay> updates;
  std::unique_ptr<records::RecordReader> records;
  base::FileDescriptor log;
  std::optional<Overlay::Change> open_change;
};

std::string not_of_the_store(std::string_view key) {
  return "the key " + quote(key) + " is not in the store; to add new keys, build it again";
}

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

void Store::Writer::set(std::string_view key, std::string_view record) try {
  if (!impl_->set(key, record)) throw Error(ErrorKind::bad_input, not_of_the_store(key));
} catch (...) {
  base::rethrow_as_error();
}
bool Store::Writer::remove(std::string_view key) try { return impl_->remove(key); } catch (...) {
  base::rethrow_as_error();
}
void Store::Writer::commit() try { impl_->commit(); } catch (...) {
  base::rethrow_as_error();
}

StoreEdit set_records(const std::filesystem::path& store, const KeyInput& input,
                      Progress* progress) try {
  return edit_records(store, input, input::UnitFraming::of_records(input.format), progress,
                      [&](StoreChanges& writer, const input::Chunk& chunk, StoreEdit& done) {
                        input::for_each_record(chunk, input.format,
                                               [&](std::string_view key, std::string_view record,
                                                   std::uint64_t index, std::size_t offset) {
                                                 if (!writer.set(key, record)) {
                                                   throw input::InputFault(
                                                       input::place_in(chunk, index, offset),
                                                       not_of_the_store(key));
                                                 }
                                                 ++done.given;
                                               });
                      });
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
