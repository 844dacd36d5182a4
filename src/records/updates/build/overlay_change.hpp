// SPDX-License-Identifier: Apache-2.0
/// Changing an overlay (records/updates/overlay.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "file/output_target.hpp"
#include "hashing/stream_hash.hpp"
#include "records/build/encoding.hpp"
#include "records/build/record_encoder.hpp"
#include "records/updates/overlay.hpp"

namespace crivo::records {

/// Writes all of `bytes` at a place of a file that messages call `path`. Throws Error(io).
void write_in(const base::FileDescriptor& file, const std::filesystem::path& path,
              std::uint64_t place, base::ByteView bytes);

/// The head is written last, so that a commit that is cut short has none. A short commit takes one
/// write. Throws Error(io).
class LogAppender {
 public:
  /// `file`, which messages call `path`, outlives this.
  LogAppender(const base::FileDescriptor& file, std::filesystem::path path, std::uint64_t begin);

  /// Where the next byte goes in the file.
  std::uint64_t place() const noexcept { return flushed_ + buffer_.size(); }
  void append(base::ByteView bytes);
  /// Writes what was appended, so that it can be read in the file.
  void flush();
  /// Writes all that is left. Last call.
  void finish(std::uint64_t commit, std::uint64_t record_length);

 private:
  const base::FileDescriptor& file_;
  std::filesystem::path path_;
  std::uint64_t begin_;
  std::uint64_t flushed_;  ///< the place of the buffer
  base::Bytes buffer_;
  hashing::StreamHash hash_;  ///< of all that was flushed but the head
};

/// Throws Error(bad_input): a key, and `other`, which cannot be in one store.
[[noreturn]] void fail_alike(std::string_view key, const std::string& other);

/// One commit of the one writer, who holds the store's lock. Values go to the file as they come,
/// behind its end; and what is known of the keys where that is too much for memory, in runs and a
/// record as those of a commit are, which nobody looks at but this, and the last record. Throws
/// Error(io) from all functions but the destructor, which drops what was not committed; after an
/// error only destruction.
class Overlay::Change {
 public:
  /// `log` is open_to_change(); it and `sealed` outlive this. `memory_bytes` are for what is known
  /// of the keys.
  Change(std::shared_ptr<Overlay> overlay, const RecordFile& sealed,
         const base::FileDescriptor& log, std::uint64_t memory_bytes);
  ~Change();
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

  /// Throws Error(corrupt) where a page that may hold its update is damaged.
  bool is_removed(std::uint64_t rank) const;
  /// Whether the rank, whose key is `key`, has an update, and that is a record that is known to be
  /// this one; `sealed` if it has none.
  enum class Now { sealed, same, other };
  Now compare(std::uint64_t rank, std::string_view key, std::string_view record) noexcept;
  /// Whether this key, which is none of the build and has this hash, was added, also by this; its
  /// rank. Throws Error(corrupt); Error(bad_input), which names both, if another key has the hash.
  bool find_added(const Hash128& hash, std::string_view key, std::uint64_t& rank);
  /// Adds it: it is not find_added(), and gets a rank, whose record put() brings next. Messages
  /// tell it by `number`.
  std::uint64_t add(const Hash128& hash, std::string_view key, std::uint64_t number);
  /// Throws Error(bad_input) if one of them is over the limit.
  static void check(std::string_view key, std::string_view record);
  /// The rank's key, which is the store's, has this record from now on. They pass check().
  void put(std::uint64_t rank, std::string_view key, std::string_view record);
  void remove(std::uint64_t rank);
  /// How many ranks have a record.
  std::uint64_t present() const noexcept { return sealed_ + added_ - removed_; }
  /// Makes the changes durable and visible, at once: with one wait for the disk. Last call.
  void commit();

 private:
  enum class Fate { sealed, changed, removed };
  /// The fate of a rank, and the bytes of its value.
  struct Was {
    Fate fate = Fate::sealed;
    std::uint64_t value_bytes = 0;
  };
  struct Value {
    std::uint64_t place = 0;  ///< 0: it is removed
    std::uint64_t bytes = 0;
  };
  [[noreturn]] void fail_damaged(std::uint64_t rank) const;
  Was was(std::uint64_t rank) const;
  void note(std::uint64_t rank, const Value& value);
  /// Appends a run of the new entries and of the runs that are merged with them: the runs then.
  std::vector<RunPlace> append_updates();
  std::vector<RunPlace> append_added();
  /// Appends these, and a record, which the slot that is returned names.
  LogSlot append_record();
  /// Puts what is known of keys into the file where it is too much for memory.
  void spill_if_many();
  void write(const LogSlot& slot);
  /// Takes away what was written, head and all. Whether it is gone.
  bool roll_back() noexcept;

  /// Measured: bytes of memory an entry, when a run of all is made.
  static constexpr std::uint64_t kEntryMemory = 128;

  std::shared_ptr<Overlay> overlay_;
  const RecordFile& sealed_records_;
  const base::FileDescriptor& log_;
  std::uint64_t most_entries_;  ///< in memory
  std::shared_ptr<const UpdateSnapshot> before_;
  std::shared_ptr<const UpdateSnapshot> spilled_;  ///< the same, or what was spilled over it
  LogAppender appender_;
  bool by_record_;
  CodecSection codec_;
  std::unique_ptr<const Encoding> encoding_;
  std::unique_ptr<const Encoding> none_;  ///< for units that are longer than all sealed ones
  UnitWriter writer_;
  UnitWriter raw_writer_;
  std::unordered_map<std::uint64_t, Value> values_;  ///< the new ones, by rank
  /// A key that this adds. Another of the same hash is told from it by a hash of its own.
  struct Added {
    std::uint64_t rank;
    std::uint64_t check;
    std::uint64_t number;
  };
  struct HashOfHash {
    std::size_t operator()(const Hash128& hash) const noexcept { return hash.hi; }
  };
  std::unordered_map<Hash128, Added, HashOfHash> new_keys_;
  Overlay::View view_;  ///< of spilled_
  std::uint64_t sealed_;
  std::uint64_t entries_;
  std::uint64_t removed_;
  std::uint64_t added_;
  std::uint64_t added_removed_;
  std::uint64_t value_bytes_;
  bool is_over_ = false;
  base::Bytes raw_;
  base::Bytes unit_;
};

}  // namespace crivo::records
