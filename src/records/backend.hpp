// SPDX-License-Identifier: Apache-2.0
/// Backends: where a store's records are, by rank, and their registry. To add one: a folder of
/// backends/ that implements what follows, and a row in backends/registry.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/file_descriptor.hpp"
#include "base/progress.hpp"
#include "file/container.hpp"
#include "hashing/hash128.hpp"
#include "records/codec.hpp"
#include "records/identity.hpp"
#include "records/lookup.hpp"
#include "structures/dictionary/reader.hpp"

namespace crivo::records {

/// One thread's way to the records of a RecordFile that outlives it.
class RecordReader {
 public:
  virtual ~RecordReader() = default;

  /// The record of `rank`, which is below records(), if its key is `key`, whose hash has this first
  /// half. Cheapest in ascending order of rank. Allocates nothing.
  virtual Lookup find(std::uint64_t rank, std::uint64_t half, std::string_view key) noexcept = 0;
  /// The same where RecordFile::may_hold() was asked.
  virtual Lookup read(std::uint64_t rank, std::string_view key) noexcept = 0;
  /// The record of a key that was added to those of the build, whose hash this is.
  virtual Lookup find_added(const Hash128& /*hash*/, std::string_view /*key*/) noexcept {
    return {};
  }
  /// The key that the build gave the rank, valid until the next lookup; nothing in an ordered
  /// store, and where it is damaged. Allocates nothing.
  virtual std::optional<std::string_view> built_key(std::uint64_t /*rank*/) noexcept {
    return std::nullopt;
  }
  /// The record of an added key by its rank, and the key; absent where it was removed.
  virtual Lookup read_added(std::uint64_t /*rank*/, std::string_view& /*key*/) noexcept {
    return {};
  }

  /// A batch calls it with each key's index and its lookup, in order; the record is valid during
  /// the call.
  using Visit = std::function<void(std::size_t, const Lookup&)>;
  /// Calls visit(i, find(ranks[i], halves[i], keys[i])) for all ranks but kNoRank, of which nothing
  /// is found, with the cache misses overlapped where the backend can.
  virtual void find(std::span<const std::uint64_t> ranks, std::span<const std::uint64_t> halves,
                    std::span<const std::string_view> keys, const Visit& visit) = 0;

  static constexpr std::uint64_t kNoRank = UINT64_MAX;
};

/// The records of a store, open: immutable, for any number of threads.
class RecordFile {
 public:
  virtual ~RecordFile() = default;

  virtual const ContentId& content_id() const noexcept = 0;
  /// How many ranks there are: those of the build, which come first, and of keys that were added.
  virtual std::uint64_t records() const noexcept = 0;
  /// The seed of the hashes by which the ranks were given.
  virtual std::uint64_t key_seed() const noexcept = 0;
  /// The length of the data file.
  virtual std::uint64_t file_bytes() const noexcept = 0;
  virtual const StoredCodec& codec() const noexcept = 0;
  /// The data file, where it is a container, whose hash tree vouches for all records; else null.
  virtual const file::Container* container() const noexcept { return nullptr; }

  /// The changes to the records since they were written.
  struct Updates {
    std::uint64_t commits = 0;
    std::uint64_t changed = 0;     ///< ranks of the build with another record
    std::uint64_t added = 0;       ///< other keys with a record
    std::uint64_t removed = 0;     ///< ranks, of both, without one
    std::uint64_t bytes = 0;       ///< of the file that holds them
    std::uint64_t dead_bytes = 0;  ///< of these, what nothing leads to any more
  };
  virtual Updates updates() const { return {}; }
  /// Whether keys were added to those of the build: then find_added() may find what else is absent.
  virtual bool has_added() const noexcept { return false; }
  /// The rank of the added key with this hash, if it is found.
  virtual Outcome added_rank(const Hash128& /*hash*/, std::uint64_t& /*rank*/) const {
    return Outcome::absent;
  }

  /// Is called with each rank that has an update, in order, and whether it has no record.
  using VisitUpdate = std::function<void(std::uint64_t rank, bool is_removed)>;
  /// Throws Error(corrupt), and what `visit` throws.
  virtual void visit_updates(const VisitUpdate& /*visit*/) const {}

  /// Sees what updates() tells of. Throws Error(io) if there is no memory for it.
  virtual std::unique_ptr<RecordReader> reader() const = 0;

  /// Called by verify() from several threads at once with each record that is there.
  using Visit =
      std::function<void(std::uint64_t rank, std::string_view key, std::string_view record)>;
  /// The phases of verify(), and what they take of one thread in ns.
  virtual std::vector<Progress::Phase> verify_phases(unsigned threads) const = 0;
  /// Checks every byte of the data file, and all that this backend has in the index, then every
  /// record. `visit` (if any) gets each once (with one thread in rank order); what it throws goes
  /// through. Throws Error(corrupt), which names the file, the place in it and what is damaged.
  virtual void verify(const base::BuildContext& context, const Visit& visit) const = 0;
  /// Gives `visit` the records of some ranks from `begin` on, which is 0 or what the last call
  /// returned: the rank after them. Each is checked, and nothing else is. Throws Error(corrupt)
  /// likewise; Error(usage) if the backend has no updates.
  virtual std::uint64_t visit_some(std::uint64_t begin, const Visit& visit) const;
  /// Whether find() would compare a key whose hash has this half with the record of `rank`: false
  /// where the index alone refuses it.
  virtual bool may_hold(std::uint64_t rank, std::uint64_t half) const noexcept = 0;
};

/// The keys of an ordered store, whose units have none; null of others.
using KeysInOrder = std::shared_ptr<const dictionary::Reader>;

/// A row of the registry.
struct Backend {
  std::string_view name;         ///< of `--backend` and of `info`
  std::string_view family;       ///< of the data file's name; see file/names.hpp
  std::uint32_t section_type;    ///< of the index section that only this backend has
  bool refuses_by_slot;          ///< it needs no signatures: its slots have fingerprints
  bool is_signed;                ///< its file has a tree, whose root a signature of the index has
  bool may_be_ordered;           ///< a dictionary may give the ranks, and hold the keys
  std::string_view description;  ///< a line for --help

  /// Opens the data file `data`, which messages call `path`, and which belongs to `index`, which
  /// outlives what is returned. `keys` are those of the ranks, where the index has them in order.
  /// Throws Error(corrupt, too_new, io).
  std::unique_ptr<const RecordFile> (*open)(base::FileDescriptor data, std::filesystem::path path,
                                            const file::Container& index, const KeysInOrder& keys,
                                            file::Loading loading);
  /// The same of a data file that is open; null of a backend whose file is no container.
  std::unique_ptr<const RecordFile> (*open_container)(file::Container data,
                                                      const file::Container& index,
                                                      const KeysInOrder& keys);
};

/// The backends; the first is the default.
std::span<const Backend> backends() noexcept;
std::span<const std::string_view> backend_names() noexcept;
/// Throws Error(usage), which lists the names, for another.
const Backend& find_backend(std::string_view name);
/// The codec of the records of an index, or of a manifest, which must outlive it. Throws
/// Error(corrupt, too_new), which names the file.
StoredCodec codec_of(const file::Container& index);
/// The backend whose section the index of a store has; throws Error(corrupt) if there is none.
const Backend& backend_of(const file::Container& index);

}  // namespace crivo::records
