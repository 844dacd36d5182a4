// SPDX-License-Identifier: Apache-2.0
/// A run of a log of updates: entries in the order of their keys, in pages. See formats/store.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "records/lookup.hpp"
#include "records/updates/update_log.hpp"

namespace crivo::records {

/// The bounds that a commit sets to ranks and places, by which entries are checked.
struct RunBounds {
  std::uint64_t sealed = 0;  ///< ranks of the build
  std::uint64_t ranks = 0;   ///< and those of keys that were added
};

/// An update of a rank: the place of its value in the log; 0 where the record was removed.
struct UpdateEntry {
  using Key = std::uint64_t;
  static constexpr std::uint64_t kBytes = RunPlace::kEntryBytes;
  static constexpr std::uint64_t kRowBytes = RunPlace::kRowBytes;  ///< a key and a check

  std::uint64_t rank = 0;
  std::uint64_t place = 0;

  Key key() const noexcept { return rank; }
  bool is_removal() const noexcept { return place == 0; }
  bool is_within(const RunBounds& bounds, std::uint64_t run_begin) const noexcept;
  static UpdateEntry load(const std::byte* at) noexcept;
  void store(std::byte* at) const noexcept;
  static Key load_key(const std::byte* row) noexcept;
  static void store_key(const Key& key, std::byte* row) noexcept;
};

/// A key that the build did not have, by its hash, and the rank that it got when it was added.
struct AddedEntry {
  using Key = Hash128;
  static constexpr std::uint64_t kBytes = RunPlace::kAddedBytes;
  static constexpr std::uint64_t kRowBytes = RunPlace::kAddedRowBytes;

  Hash128 hash;
  std::uint64_t rank = 0;

  Key key() const noexcept { return hash; }
  bool is_within(const RunBounds& bounds, std::uint64_t run_begin) const noexcept;
  static AddedEntry load(const std::byte* at) noexcept;
  void store(std::byte* at) const noexcept;
  static Key load_key(const std::byte* row) noexcept;
  static void store_key(const Key& key, std::byte* row) noexcept;
};

/// The entries as a run's bytes, table and all, as `place` (whose begin is set) describes them:
/// that is given its check. `entries` are in the order of their keys, and not empty.
template <typename Entry>
base::Bytes encode_run(std::span<const Entry> entries, RunPlace& place);

/// A run, for any number of threads. The table is checked when it is first looked at, a page
/// likewise: its check, that keys ascend and are those of its row, and that ranks and places are
/// within bounds. Bytes that change afterwards lead to other answers, never out of the file.
template <typename Entry>
class Run {
 public:
  using Key = typename Entry::Key;

  /// The run of a log, of which the others get the whole. Nothing is read.
  Run(const RunPlace& place, const RunBounds& bounds);

  const RunPlace& place() const noexcept { return place_; }

  /// Nothing where the table is damaged.
  std::optional<Key> first_key(base::ByteView file) const noexcept;
  Outcome find(base::ByteView file, const Key& key, Entry& entry) const noexcept;
  /// Calls visit() with the entries of keys from `begin` on, in order, until it returns false;
  /// false if the table is damaged, or a page that may hold some.
  bool visit(base::ByteView file, const Key& begin,
             const std::function<bool(const Entry&)>& visit) const;

 private:
  enum State : std::uint8_t { unknown, sound, damaged };

  /// Whether the table is sound, of which what follows reads.
  bool has_table(base::ByteView file) const noexcept;
  const std::byte* row(base::ByteView file, std::uint64_t page) const noexcept;
  Key first_key(base::ByteView file, std::uint64_t page) const noexcept;
  /// The last page whose first key is not above; pages_ where there is none.
  std::uint64_t page_of(base::ByteView file, const Key& key) const noexcept;
  /// Empty where the page is damaged.
  base::ByteView page(base::ByteView file, std::uint64_t number) const noexcept;
  bool is_sound(base::ByteView file, base::ByteView page, std::uint64_t number) const noexcept;

  RunPlace place_;
  RunBounds bounds_;
  std::uint64_t page_entries_;
  std::uint64_t pages_;
  mutable std::atomic<State> table_ = unknown;
  mutable std::vector<std::atomic<State>> states_;
};

using UpdateRun = Run<UpdateEntry>;
using AddedRun = Run<AddedEntry>;

}  // namespace crivo::records
