// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "base/as_error.hpp"
#include "base/memory_limit.hpp"
#include "build/memory_need.hpp"
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

/// The memory that a Store::Writer takes to know the keys of a commit.
constexpr std::uint64_t kWriterMemory = std::uint64_t{256} << 20;

/// The signature of a store, which does not cover updates.
class StoreSignature {
 public:
  /// In `directory`, which messages call `path`. Throws Error(usage) where it is there, unless it
  /// is to be dropped.
  StoreSignature(const base::FileDescriptor& directory, const std::filesystem::path& path,
                 bool drops)
      : directory_(directory), path_(path / kName) {
    is_there_ = ::faccessat(directory_.get(), kName, F_OK, 0) == 0;
    if (is_there_ && !drops)
      throw Error(ErrorKind::usage,
                  path_.string() + ": the store is signed, and the signature " +
                      "would not cover its updates; drop it first",
                  {.file = path_.string(), .remedy = "drop_signature"});
  }
  /// Throws Error(io).
  void drop() const {
    if (is_there_ && ::unlinkat(directory_.get(), kName, 0) != 0 && errno != ENOENT)
      base::throw_file_error(path_.string(), "cannot remove", errno);
  }

 private:
  static constexpr const char* kName = "index.crv.minisig";

  const base::FileDescriptor& directory_;
  std::filesystem::path path_;
  bool is_there_;
};

/// Changes of a store, and the right to make them.
struct StoreChanges {
  StoreChanges(const std::filesystem::path& path, Progress* progress,
               std::uint64_t memory_bytes = kWriterMemory, bool drops_signature = false)
      : lock(path, progress),
        files(lock.open(path)),
        signature(lock.directory(), path, drops_signature),
        memory(memory_bytes),
        hash_function(index::hash_function(files.index.header())),
        updates(files.updates),
        sealed(files.sealed->reader()) {
    const Overlay::Place place = files.updates_in(lock.directory());
    if (!updates) {
      Overlay::create(place, lock.target(), lock.lock(), files.index_file);
      is_empty_log = true;
      updates = Overlay::open(place, file::Loading::mapped);
    }
    log = Overlay::open_to_change(place);
  }
  ~StoreChanges() {
    open_change.reset();
    if (is_empty_log) ::unlinkat(lock.directory().get(), files.updates_path.filename().c_str(), 0);
  }
  StoreChanges(const StoreChanges&) = delete;
  StoreChanges& operator=(const StoreChanges&) = delete;

  Overlay::Change& change() {
    if (!open_change) open_change.emplace(updates, *files.sealed, log, memory);
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
    ++given;
    Overlay::Change::check(key, record);
    const Hash128 hash = detail::HashAccess::raw(hash_function, key);
    std::uint64_t rank = 0;
    const Presence presence = find(key, hash, rank);
    const bool is_there = presence == Presence::present;
    if (keys == SetKeys::existing && !is_there)
      throw Error(ErrorKind::bad_input, "the key " + quote(key) + " is not in the store");
    if (keys == SetKeys::added && is_there)
      throw Error(ErrorKind::bad_input, "the key " + quote(key) + " is in the store already");
    if (is_there && has_record(rank, hash, key, record)) return Outcome::unchanged;
    if (presence == Presence::none) {
      refuse_alike(key, hash);
      rank = change().add(hash, key, given);
    }
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
    signature.drop();
    open_change->commit();
    is_empty_log = false;
    open_change.reset();
  }
  /// As they will be once all is committed.
  std::uint64_t size() { return change().present(); }

  /// Whether the build had the key: whose rank it is, the build says.
  bool is_of_the_build(std::string_view key, const Hash128& hash, std::uint64_t& rank) {
    rank = files.ranks.lookup(key, hash);
    records::Lookup found;
    if (rank != index::RankIndex::kAbsent) found = sealed->find(rank, hash.hi, key);
    if (found.outcome == records::Outcome::found) return true;
    if (found.outcome == records::Outcome::damaged)
      files.index.fail("the record of " + quote(key) + " is damaged");
    if (index::rests_on_damage(files, hash_function, key))
      files.index.fail("damaged: what it has of " + quote(key) + " is");
    return false;
  }
  /// Throws Error(bad_input) where the build has another key of this hash, by which a compaction
  /// could not tell them apart.
  void refuse_alike(std::string_view key, const Hash128& hash) {
    if (files.ranks.in_order != nullptr) return;
    const std::uint64_t rank = files.ranks.lookup(key, hash);
    if (rank == index::RankIndex::kAbsent || !files.sealed->may_hold(rank, hash.hi)) return;
    const auto built = sealed->built_key(rank);
    if (built && detail::HashAccess::raw(hash_function, *built) == hash)
      records::fail_alike(key, quote(*built));
  }
  /// Whether the key, which has this rank, has this record already.
  bool has_record(std::uint64_t rank, const Hash128& hash, std::string_view key,
                  std::string_view record) {
    const Overlay::Change::Now now = change().compare(rank, key, record);
    if (now != Overlay::Change::Now::sealed) return now == Overlay::Change::Now::same;
    const records::Lookup built = sealed->find(rank, hash.hi, key);
    return built.outcome == records::Outcome::found && built.record == record;
  }

  index::StoreLock lock;
  index::StoreFiles files;
  StoreSignature signature;
  std::uint64_t memory;
  HashFunction hash_function;
  std::shared_ptr<Overlay> updates;
  std::unique_ptr<records::RecordReader> sealed;
  base::FileDescriptor log;
  std::uint64_t given = 0;    ///< records to set
  bool is_empty_log = false;  ///< it was made by this, and nothing is committed
  std::optional<Overlay::Change> open_change;
};

/// Calls take(writer, chunk) for the chunks of the input in order, then commits.
template <typename Take>
StoreEdit edit_records(const std::filesystem::path& store, const KeyInput& input,
                       const input::UnitFraming& framing, const StoreEditOptions& options,
                       Take&& take) {
  const index::MemoryBudget budget({.resources = options.resources}, base::available_memory());
  Progress own;
  Progress& told = options.resources.progress != nullptr ? *options.resources.progress : own;
  StoreChanges writer(store, options.resources.progress, budget.bytes / 2, options.drop_signature);
  input::ChunkReader reader(input, framing, {.in_order = true});
  told.begin("update", 0, Progress::Unit::bytes);
  StoreEdit done;
  input::for_each_chunk(reader, input, framing, {1, told},
                        [&](unsigned, const input::Chunk& chunk) { take(writer, chunk, done); });
  done.records = writer.size();
  if (options.dry_run) return done;
  told.settle();
  writer.commit();
  const std::uint64_t bytes = writer.updates->bytes();
  const std::uint64_t data_bytes = writer.files.sealed->file_bytes();
  if (bytes >= kLargeUpdates && bytes > data_bytes / 2) {
    done.warnings.push_back({store.string() + ": the updates take " + index::memory_text(bytes) +
                                 ", and the data " + index::memory_text(data_bytes) +
                                 "; compact the store",
                             "compact_store"});
  }
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

StoreEdit set_records(const std::filesystem::path& store, const KeyInput& input,
                      const StoreEditOptions& options) try {
  const auto set_chunk = [&](StoreChanges& writer, const input::Chunk& chunk, StoreEdit& done) {
    input::for_each_record(
        chunk, input.format,
        [&](std::string_view key, std::string_view record, std::uint64_t index,
            std::size_t offset) {
          ++done.given;
          ++count_of(set_at(writer, key, record, options.keys, chunk, index, offset), done);
        });
  };
  return edit_records(store, input, input::UnitFraming::of_records(input.format), options,
                      set_chunk);
} catch (...) {
  base::rethrow_as_error();
}

StoreEdit remove_records(const std::filesystem::path& store, const KeyInput& input,
                         const StoreEditOptions& options) try {
  return edit_records(store, input, input::UnitFraming::of_keys(input.format), options,
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
