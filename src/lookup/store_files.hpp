// SPDX-License-Identifier: Apache-2.0
/// The files of a record store's generation, or its parts and their manifest, opened together.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/key.hpp"
#include "file/container.hpp"
#include "lookup/rank_index.hpp"
#include "records/backend.hpp"
#include "records/updates/overlay.hpp"
#include "structures/dictionary/reader.hpp"

namespace crivo::index {

/// Over a container that must outlive it. Immutable; safe for any number of threads.
struct StoreRanks {
  /// Finds and checks the sections; throws Error(corrupt), named after the container.
  explicit StoreRanks(const file::Container& index);

  /// The rank of a key with this hash, or RankIndex::kAbsent.
  std::uint64_t lookup(std::string_view key, const Hash128& hash) const noexcept {
    return by_hash ? by_hash->lookup(hash) : rank_of(key);
  }
  /// Those of many; all spans are of one length.
  void lookup(std::span<const std::string_view> keys, std::span<const Hash128> hashes,
              std::span<std::uint64_t> ranks) const noexcept;

  /// The same in an ordered store, where no hash is needed.
  std::uint64_t rank_of(std::string_view key) const noexcept {
    const dictionary::Place place = in_order->find(key);
    return place.found ? place.id : RankIndex::kAbsent;
  }
  void ranks_of(std::span<const std::string_view> keys,
                std::span<std::uint64_t> ranks) const noexcept;

  std::optional<RankIndex> by_hash;
  std::shared_ptr<const dictionary::Reader> in_order;  ///< of an ordered store; else null
};

/// The index file, whose digest tells the name of the other: the pointer to the generation in use.
inline constexpr const char* kIndexName = "index.crv";
/// The family of the names of updates, of backends that can be updated.
inline constexpr const char* kUpdatesFamily = "updates.log";

/// The families of the names that a store's directory may hold: its files, of any backend, the
/// signature of the index, and the lock that other users of LMDB leave there.
std::vector<std::string> store_file_families();

/// The names of the files beside the index of a store: its records, and their updates.
std::string records_name(const records::Backend& backend, const file::Container& index);
std::string updates_name(const file::Container& index);

/// Whether the path is that of a directory, or of a manifest of a store's parts, which are not
/// opened. Throws what Container::open() does of a file.
bool is_store(const std::filesystem::path& path);

/// How many records there are by now.
inline std::uint64_t present_records(const records::RecordFile& records) {
  return records.records() - records.updates().removed;
}

/// Which file a name leads to: no other has its numbers as long as it is open or mapped.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

/// How the files of a store get into memory. A manifest and its parts are all index.
struct StoreLoading {
  /// Both alike.
  StoreLoading(file::Loading both) : index(both), data(both) {}  // NOLINT(*-explicit-*)
  StoreLoading(file::Loading of_index, file::Loading of_data) : index(of_index), data(of_data) {}

  file::Loading index;
  file::Loading data;         ///< of the records, and of updates
  bool checks_reads = false;  ///< of the index; records have their own checks
};

struct StoreFiles {
  /// Opens and checks all, of one generation: if another takes its place meanwhile, that is opened.
  /// `path` is that of a directory, or of a manifest of a store's parts, which is the index then.
  /// Throws Error(usage) if it is no store, Error(corrupt, too_new, too_old) if a file is damaged
  /// or they are not of one build, Error(io).
  static StoreFiles open(const std::filesystem::path& path, StoreLoading loading);
  /// Opens a manifest with its parts; `file` is open and has the name `path`.
  StoreFiles(const std::filesystem::path& path, base::FileDescriptor file,
             file::Container manifest);
  /// Opens an index with its records, neither of which is a file of this machine.
  StoreFiles(file::Container index, file::Container records);

  /// Whether the directory holds another generation by now, or updates where there were none, or
  /// others than a copy has, or another file of them under the same name: a replacement by the same
  /// bytes takes the old one away. A few system calls at most; a directory that is gone holds none.
  bool is_replaced() const noexcept;
  /// The records with the updates that are committed by now, and with none that come later: so who
  /// asks twice may get two states of the store. This outlives them. Throws Error(corrupt, io).
  std::shared_ptr<const records::RecordFile> records() const;
  /// Another number after each commit of updates; 0 while there are none.
  std::uint64_t last_update() const noexcept { return updates ? updates->last_change() : 0; }
  /// Where the updates are, or would be, in an open `directory`, which this has been opened of.
  records::Overlay::Place updates_in(const base::FileDescriptor& directory) const;

  std::filesystem::path index_path;  ///< absolute
  base::FileDescriptor index_file;   ///< kept open, so that index_identity stays its own
  FileIdentity index_identity;
  file::Container index;
  std::filesystem::path updates_path;  ///< absolute, there or not; of a manifest empty
  index::StoreRanks ranks;
  const records::Backend& backend;
  std::shared_ptr<const records::RecordFile> sealed;  ///< the records as they were built
  std::shared_ptr<records::Overlay> updates;          ///< of them; null while there are none

 private:
  /// The files of one generation, open, and nothing of them read but where they are: once they are
  /// open, no replacement can take them away.
  struct Generation {
    base::FileDescriptor pointer;
    file::Container index;
    const records::Backend* backend;
    base::FileDescriptor data;
    std::shared_ptr<records::Overlay> updates;
  };
  /// `directory` is open, and called `name` in messages.
  static Generation open_generation(const base::FileDescriptor& directory,
                                    const std::filesystem::path& name, base::FileDescriptor pointer,
                                    StoreLoading loading);

  static StoreFiles open_generations(const std::filesystem::path& directory, StoreLoading loading);
  static StoreFiles open_manifest(const std::filesystem::path& path, StoreLoading loading);

  StoreFiles(const std::filesystem::path& name, Generation found, StoreLoading loading);
  /// Throws Error(corrupt) unless index and records are of one build.
  void check_records() const;
};

/// Whether that a key is absent rests on damaged bytes of the index.
bool rests_on_damage(const StoreFiles& files, const HashFunction& function,
                     std::string_view key) noexcept;

}  // namespace crivo::index
