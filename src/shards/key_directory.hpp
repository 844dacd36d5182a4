// SPDX-License-Identifier: Apache-2.0
/// The directory that keys are dealt out to, for the shards of a build (formats/parts.md): files of
/// hashes, one of each task, and the totals of all.
///
/// Equal keys, as a file of keys and the totals note them (formats/parts.md): 0 there are none, 1
/// the first counts; of records also 2 the last, 3 all of theirs. Where keys have prefixes, 1 in
/// the second byte, and the delimiter in the third.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "crivo/build/build.hpp"
#include "crivo/build/options.hpp"
#include "crivo/value_form.hpp"
#include "file/container.hpp"
#include "file/mapped_file.hpp"
#include "lookup/map_file.hpp"
#include "records/build/record_batch.hpp"
#include "shards/dealt_files.hpp"
#include "stream/key_slice.hpp"
#include "structures/csf/build/histogram.hpp"
#include "structures/tables/file_list.hpp"

namespace crivo::index {

inline constexpr std::uint64_t kHasPrefixes = 1 << 8;

template <typename Table>
std::uint64_t encode_repeats(const Table& table) noexcept {
  const std::uint64_t code =
      table.drops_repeats ? 1 + static_cast<std::uint64_t>(table.repeated) : 0;
  if (!table.prefixes) return code;
  return code | kHasPrefixes | std::uint64_t{static_cast<unsigned char>(*table.prefixes)} << 16;
}

template <typename Table>
void take_repeats(base::FieldReader& r, bool of_records, Table& table) {
  const std::uint64_t field = r.u64();
  const std::uint64_t code = field & 0xff;
  const std::uint64_t rest = field >> 8;
  const bool has_prefixes = (field & kHasPrefixes) != 0;
  if (code > (of_records ? 3U : 1U) || (has_prefixes ? code != 1 || rest >> 16 != 0 : rest != 0))
    r.fail("damaged: it says of equal keys what no version does");
  table.drops_repeats = code != 0;
  table.repeated = code > 1 ? RepeatedRecords{static_cast<int>(code) - 1} : RepeatedRecords::first;
  if (has_prefixes) table.prefixes = static_cast<char>(static_cast<unsigned char>(field >> 16));
}

/// The kind of number that a key has beside its hash.
enum class KeyValues : std::uint32_t {
  none = 0,
  numbers = 1,  ///< its number among the keys of its task, from 0
  given = 2,    ///< a value of its own
  rows = 3,     ///< the place of its row, in the files of its task (input::RowFiles)
};

/// How many tasks may deal out keys to a directory.
inline constexpr std::uint64_t kMostTasks = std::uint64_t{1} << 20;

/// "keys-3-of-8.crv", and of the totals.
inline std::string keys_file_name(std::uint64_t task, std::uint64_t tasks) {
  return "keys-" + std::to_string(task) + "-of-" + std::to_string(tasks) + ".crv";
}
inline constexpr const char* kTotalsName = "totals.crv";

/// The fields before the table of a file of keys.
struct KeyTable {
  KeyValues values = KeyValues::none;
  bool texts = false;       ///< its records are of dictionaries: none, or input::TextRecord
  bool many = false;        ///< keys may be in several rows
  bool groups = false;      ///< keys are in groups of a filter set: hi is the hash of the name
  unsigned piece_bits = 0;  ///< 2^piece_bits pieces, by the top bits of the hashes
  std::uint64_t task = 0;   ///< the file's, of `tasks`
  std::uint64_t tasks = 1;
  std::uint64_t units = 0;     ///< keys of the task, with those that are not in the file: repeats
  bool drops_repeats = false;  ///< the first of equal keys counts; otherwise there are none
  RepeatedRecords repeated = RepeatedRecords::first;  ///< of records: which of theirs
  std::optional<char> prefixes{};  ///< HashOptions::prefixes; equal keys are dropped then
  stream::KeySums sums{};          ///< of the keys in the file, with their values as they are there
  std::uint64_t odd_sum = 0;       ///< of (lo | 1), modulo 2^64
  std::uint64_t value_or = 0;      ///< of all values
  file::ContentId input_id{};      ///< of the state of its input; zero where that is not known
  std::vector<std::uint64_t> counts{};  ///< the keys of each piece
  /// The bytes of each piece of a file's records; empty where it has none.
  std::vector<std::uint64_t> record_bytes{};
};
base::Bytes encode(const KeyTable& table);

/// A file of keys, mapped. Any thread may read it.
class KeyFile {
 public:
  /// Throws Error(corrupt, io, ...); messages begin with the path.
  explicit KeyFile(const std::filesystem::path& path);

  const file::Header& header() const noexcept { return container_.header(); }
  const file::Digest& digest() const noexcept { return container_.digest(); }
  const std::string& name() const noexcept { return container_.name(); }
  const file::Container& container() const noexcept { return container_; }
  const KeyTable& table() const noexcept { return table_; }

  /// Visits each key of a piece: its record, in files that have them, and where it stands among all
  /// records. Both are valid during the call.
  using VisitRecord = std::function<void(Hash128 hash, std::string_view key,
                                         std::string_view record, std::uint64_t place)>;
  /// As for_each_key(); of records that RecordEntry has for far nothing was checked or read. Throws
  /// Error(corrupt) for records that are not those of the keys.
  void for_each_record(std::uint64_t piece, const VisitRecord& visit) const;
  /// The record of so many bytes that stands there, checked; valid until pages are let go of, which
  /// only makes them be read again. Throws Error(corrupt).
  std::string_view record_at(std::uint64_t place, std::size_t bytes) const;
  bool has_records() const noexcept { return !table_.record_bytes.empty(); }
  /// The files of its rows. Throws Error(corrupt).
  tables::FileList row_files() const;
  /// What GroupNames noted of its groups. Throws Error(corrupt).
  base::ByteView group_names() const;
  /// Lets go of the pages that were read.
  void forget() const noexcept { file_.forget(); }

  /// Calls visit(hash, value) for the keys of a piece, whose checksums are checked before, once.
  /// Values are 0 where there are none. Lets go of the pages from time to time. Throws
  /// Error(corrupt), also for a hash of another piece.
  template <typename Visit>
  void for_each_key(std::uint64_t piece, Visit&& visit) const {
    const base::ByteView bytes = checked_piece(piece);
    const std::uint64_t count = table_.counts[piece];
    const std::byte* const values = bytes.data() + kHashBytes * count;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::byte* const hash = bytes.data() + kHashBytes * i;
      visit(hash_at(hash, piece), has_values() ? base::load_le<std::uint64_t>(values + 8 * i) : 0);
    }
    note_read(bytes.size());
  }

 private:
  static constexpr std::uint64_t kHashBytes = 16;

  Hash128 hash_at(const std::byte* at, std::uint64_t piece) const {
    const Hash128 hash{base::load_le<std::uint64_t>(at), base::load_le<std::uint64_t>(at + 8)};
    if (base::top_bits(hash.hi, table_.piece_bits) != piece) [[unlikely]]
      fail_misplaced();
    return hash;
  }
  [[noreturn, gnu::cold]] void fail_misplaced() const {
    container_.fail("damaged: a key lies in the wrong piece");
  }
  bool has_values() const noexcept { return table_.values != KeyValues::none; }
  base::ByteView checked_piece(std::uint64_t piece) const;
  base::ByteView checked(std::uint32_t type, std::uint64_t begin, std::uint64_t bytes) const;

  /// Lets go of the pages when many were read, by all threads.
  void note_read(std::uint64_t bytes) const noexcept;

  file::MappedFile file_;
  file::Container container_;
  /// Whether each chunk of the file was checked: many pieces may lie in one.
  mutable std::vector<std::atomic<bool>> checked_chunks_;
  mutable std::atomic<std::uint64_t> held_{0};  ///< bytes that were read since the last forget()
  KeyTable table_;
  std::vector<std::uint64_t> begins_;  ///< of the pieces, in the section
  std::vector<std::uint64_t> record_begins_;
};

/// The facts about all keys of a directory, once it is finished.
struct Totals {
  std::uint64_t keys = 0;      ///< distinct ones; where keys may be in several rows, one for each
  std::uint64_t units = 0;     ///< with repeats
  std::uint64_t distinct = 0;  ///< of rows: those that differ
  std::uint64_t seed = 0;
  hashing::KeyHashId key_hash = hashing::KeyHashId::xxh3;
  KeyValues values = KeyValues::none;
  ValueForm form{};         ///< of given values
  unsigned value_bits = 0;  ///< of the largest: of all keys' numbers, or values
  bool drops_repeats = false;
  RepeatedRecords repeated = RepeatedRecords::first;
  std::optional<char> prefixes{};
  bool has_records = false;
  bool texts = false;              ///< KeyTable
  bool many = false;               ///< KeyTable
  bool groups = false;             ///< KeyTable
  RowsOptions rows{};              ///< of rows: what decides what is a key, as their files say
  unsigned piece_bits = 0;         ///< of the file of most pieces
  std::uint64_t record_bytes = 0;  ///< of all, those of equal keys counted
  stream::KeySums sums{};
  file::ContentId plan_id{};
  struct File {
    file::Digest digest{};
    std::uint64_t first_number = 0;  ///< of its keys
  };
  std::vector<File> files{};  ///< of each task
  /// How often each of the given values occurs.
  std::optional<csf::Histogram> counts{};
};
base::Bytes encode(const Totals& totals);

/// The records of a directory that has them: its files stay as they are, and must outlive this.
class DirectoryRecords final : public records::RecordSource {
 public:
  explicit DirectoryRecords(const std::vector<std::unique_ptr<const KeyFile>>& files);

  /// That of the file of most pieces.
  unsigned piece_bits() const noexcept override { return piece_bits_; }
  using records::RecordSource::read;
  void read(unsigned bits, std::uint64_t begin, std::uint64_t end,
            records::RecordBatch& to) const override;
  void append_far(const records::RecordEntry& entry, base::Bytes& to) const override;

 private:
  const std::vector<std::unique_ptr<const KeyFile>>& files_;
  unsigned piece_bits_ = 0;
};

/// A directory of keys that is complete.
struct KeyDirectory {
  /// Opens the files of all tasks, and checks that they belong together. Throws Error(usage) that
  /// names the one that is missing, or that belongs to another partition.
  static KeyDirectory open(const std::filesystem::path& path);
  /// Opens a finished one. Throws Error(usage) also if a file is not the one that was counted, and
  /// Error(corrupt) if the totals are not those of the files.
  static KeyDirectory open_finished(const std::filesystem::path& path);

  /// The totals of its files, were all their keys distinct.
  Totals added_up() const;
  /// Throws Error(corrupt): the totals are not those of the keys.
  [[noreturn]] void fail_totals() const;

  std::filesystem::path path;
  bool is_finished = false;
  std::vector<std::unique_ptr<const KeyFile>> files;  ///< in the order of the tasks
  Totals totals;                                      ///< of open(): with the first numbers alone
  DealtFiles rows;                                    ///< of keys with rows
};

}  // namespace crivo::index
