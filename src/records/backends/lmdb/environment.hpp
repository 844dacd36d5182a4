// SPDX-License-Identifier: Apache-2.0
/// Reads a record store's LMDB environment, and the section of the index file that describes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "base/progress.hpp"
#include "file/mapped_file.hpp"
#include "records/backends/lmdb/group.hpp"
#include "records/codec.hpp"
#include "records/identity.hpp"
#include "records/lookup.hpp"
#include "records/unit.hpp"

struct MDB_env;
struct MDB_txn;
struct MDB_cursor;

namespace crivo::records {

/// The fields of the environment section, in the order of its bytes; see formats/store.md.
struct EnvironmentSection {
  std::uint32_t version = kStoreVersion;
  std::uint32_t page_size = 0;  ///< of LMDB: a power of two from 512 to 32768
  std::uint64_t file_size = 0;  ///< of data.mdb
  std::uint64_t records = 0;
  std::uint64_t groups = 0;
  std::uint64_t units = 0;
  std::uint64_t max_group = 0;  ///< the longest group
  std::uint64_t key_seed = 0;   ///< that the key hashes were made with
  ContentId content_id{};
  std::uint64_t structure_hash = 0;  ///< of LMDB's own pages: TreeScan::structure_hash
  std::uint64_t file_hash = 0;       ///< XXH3-64 of all of data.mdb

  base::Bytes encode() const;
  /// Throws Error(corrupt), or Error(too_new) for a later version.
  static EnvironmentSection decode(base::ByteView bytes);
};

/// An open environment: immutable, for any number of threads, each of which reads through its own
/// EnvironmentReader. Opening reads and checks LMDB's own pages (about 1 in 600); the groups are
/// checked when they are read. Readable from a read-only directory; no lock file.
class Environment {
 public:
  /// Called with each record by verify(), from several threads at once: its rank, key and record.
  using Visit =
      std::function<void(std::uint64_t rank, std::string_view key, std::string_view record)>;

  /// Opens data.mdb, whose open file `data` is and which messages call `path`. `section` is the
  /// index file's section of that name. A copy has its checksum verified. Throws Error(corrupt) if
  /// data.mdb is damaged, cut short or of another build than the index; Error(too_new) for a later
  /// version; Error(io).
  Environment(base::FileDescriptor data, std::filesystem::path path, base::ByteView section,
              StoredCodec codec, file::Loading loading);
  /// The same of `directory`/data.mdb, for a pass. The section `codec` must outlive it.
  Environment(const std::filesystem::path& directory, base::ByteView section, base::ByteView codec);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  const EnvironmentSection& description() const noexcept { return section_; }
  const StoredCodec& codec() const noexcept { return codec_; }
  std::uint64_t records() const noexcept { return section_.records; }

  /// Checks everything: the file's checksum, then every group, block and record, and that the ranks
  /// are 0 to records() - 1. `visit` (if any) gets each record once (with one thread in rank
  /// order); what it throws goes through. `progress` counts bytes, then records. Throws
  /// Error(corrupt), which names the file, the first unit that is damaged and its byte.
  void verify(base::Progress& progress, const Visit& visit = {}, unsigned threads = 1) const;
  /// Checks and visits the records of the group that begins with the rank: the rank after it.
  /// Throws Error(corrupt).
  std::uint64_t visit_group(std::uint64_t first_rank, const Visit& visit) const;

 private:
  friend class EnvironmentReader;
  /// The groups of a range of ranks, checked: from the first that begins in it to the first after.
  struct CheckedGroups {
    std::uint64_t begin = 0;  ///< rank
    std::uint64_t end = 0;
    std::uint64_t units = 0;
    std::vector<base::ByteView> groups;
  };
  CheckedGroups check_groups(std::uint64_t begin, std::uint64_t end, const Visit& visit) const;
  // `inside` is where in the group.
  [[noreturn]] void fail_damaged(std::string_view what, std::uint64_t rank,
                                 std::uint64_t inside = 0) const;
  [[noreturn]] void fail(std::string_view problem) const;
  void check_file() const;
  /// The checksum of the whole file.
  void check_bytes(base::Progress* progress) const;
  void open_lmdb();

  std::filesystem::path path_;
  EnvironmentSection section_;
  StoredCodec codec_;
  base::FileDescriptor file_;
  std::optional<file::MappedFile> resident_;  ///< keeps the file's pages in memory
  MDB_env* environment_ = nullptr;
  unsigned database_ = 0;
};

/// Looks records up: one a thread, on an Environment that outlives it.
class EnvironmentReader {
 public:
  /// Takes all the memory that lookups need: that of the longest unit. Throws Error(io).
  explicit EnvironmentReader(const Environment& environment);
  ~EnvironmentReader();
  EnvironmentReader(const EnvironmentReader&) = delete;
  EnvironmentReader& operator=(const EnvironmentReader&) = delete;

  /// The record of `rank` if its key is `key`. One descent of the B+tree, and one unit opened: its
  /// check, and where it is encoded its decoding. None of these if the record is of the last call's
  /// unit, so that calls in ascending order of rank open each block once. Allocates nothing.
  Lookup find(std::uint64_t rank, std::string_view key) noexcept;

  /// The key of `rank`; nothing where it is damaged. Costs as much.
  std::optional<std::string_view> key_of(std::uint64_t rank) noexcept;

  /// The same for many (RecordReader::find()): while some descend the tree, others' groups, places
  /// in them and units are on their way from memory.
  void find(std::span<const std::uint64_t> ranks, std::span<const std::string_view> keys,
            const std::function<void(std::size_t, const Lookup&)>& visit);

 private:
  friend class Environment;

  // A group as LMDB has it, of which nothing was read.
  struct StoredGroup {
    base::ByteView bytes;
    std::uint64_t last_rank = 0;
  };

  // The group that holds `rank`, below records(); false if there is none.
  bool find_group(std::uint64_t rank, StoredGroup& group) noexcept;
  // The same, with its directory opened; false if it is damaged.
  bool open_group(std::uint64_t rank, base::ByteView& bytes, GroupReader& group) noexcept;
  // Whether the record is of the unit at hand.
  bool is_at_hand(std::uint64_t rank) const noexcept {
    return rank >= first_rank_ && rank < end_rank_;
  }
  // The record of the unit, which is what a sound group has of the rank.
  Lookup read_unit(const GroupReader::Unit& unit, std::uint64_t rank,
                   std::string_view key) noexcept;
  // The record of the unit at hand.
  Lookup take(std::uint64_t rank, std::string_view key) noexcept;
  // Whether it is sound; it and its key.
  bool take(std::uint64_t rank, std::string_view& stored_key, std::string_view& record) noexcept;

  const Environment& environment_;
  MDB_txn* transaction_ = nullptr;
  MDB_cursor* cursor_ = nullptr;
  UnitReader unit_;

  // The unit at hand, if any, of a codec by block: its ranks.
  std::uint64_t first_rank_ = 0;
  std::uint64_t end_rank_ = 0;
};

}  // namespace crivo::records
