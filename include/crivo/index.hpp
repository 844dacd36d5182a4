// SPDX-License-Identifier: Apache-2.0
/// An index of any kind, for programs that learn only when they open it what it is. Who knows the
/// kind takes Mphf, Filter, Map, Store or Dictionary, whose lookups are quicker.
///
///     const auto index = crivo::OpenIndex::open("any.crv");
///     index->answer(crivo::Key("key"), print);
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "crivo/detail/export.hpp"
#include "crivo/key.hpp"
#include "crivo/open.hpp"
#include "crivo/progress.hpp"

namespace crivo {

namespace index {
class RemoteIndex;
}

struct FileInfo;

/// Holds what an index says of a key.
struct Answer {
  bool found = false;
  bool is_number = false;   ///< the text is an integer in decimal digits, which JSON has too
  bool is_further = false;  ///< one more answer of the key before
  /// Any bytes, valid during the call. Empty if not found, but of exact sets, which say `other` or
  /// `outside`.
  std::string_view text = {};
  /// The value of a dictionary's key, if it has values, in decimal digits; otherwise empty.
  std::string_view value = {};
};

/// Holds a range of keys that is asked for, both ends included, and what the answer is given with.
struct AskedRange {
  std::string_view text;
  std::string_view low;
  std::string_view high;
};

/// Describes a question to an index other than for keys, such as for all keys with a prefix.
struct QueryInfo {
  std::string_view name;        ///< that the program makes an option of
  std::string_view value_name;  ///< in --help
  std::string_view help;        ///< a line
  unsigned values = 1;          ///< how many it takes; 0: one or more
  bool of_numbers = false;  ///< the program takes what is no number for a file of them, one a line
};

/// Holds an index that was opened as what its file says it is. Answers are those of Mphf, Filter,
/// Map, Store and Dictionary. One thread's: others open it too, and share the file's pages.
class CRIVO_API OpenIndex {
 public:
  /// Opens `path`: a directory as a store, a file as of the kind in its header. Throws Error as
  /// Mphf::open() does, and Error(usage) for a file in which no keys are looked up.
  static std::unique_ptr<OpenIndex> open(const std::filesystem::path& path,
                                         const OpenOptions& options = {});
  virtual ~OpenIndex();
  OpenIndex(const OpenIndex&) = delete;
  OpenIndex& operator=(const OpenIndex&) = delete;

  /// Returns the path, for messages.
  const std::string& name() const noexcept { return name_; }
  /// Returns the name of one of kinds().
  std::string_view kind() const noexcept { return kind_; }
  /// Returns the number of keys.
  virtual std::uint64_t size() const noexcept = 0;
  /// Do what inspect() and verify() do.
  virtual FileInfo info() const = 0;
  virtual void verify(const Resources& resources = {}) const = 0;

  /// Tells whether keys outside the set are told from those in it, if only mostly. An MPHF or map
  /// without signatures finds any key.
  virtual bool tells_absent() const noexcept { return true; }
  /// Throws Error(usage) unless tells_absent(): any `what` would be found.
  void require_absent(std::string_view what) const;
  /// Tells whether an answer is a record: of a store.
  virtual bool has_records() const noexcept { return false; }
  /// Returns how many keys a batch should have, if there are so many: gathering more than come at
  /// once is of use where this is over 1.
  virtual std::size_t keys_at_once() const noexcept { return 1; }

  /// Is called with a key and its answer.
  using Visit = std::function<void(std::string_view key, const Answer& answer)>;
  /// Calls visit once. Throws Error(corrupt) at a record that is damaged, and what `visit` throws.
  virtual void answer(const Key& key, const Visit& visit) = 0;
  /// Calls visit for each key, in order. The way to look up many. Throws as the other does, after
  /// the answers before.
  virtual void answer(std::span<const std::string_view> keys, const Visit& visit) = 0;

  /// Does the same by Dictionary::lookup_hashed(), which takes some absent keys for others. Throws
  /// Error(usage) unless the index is a dictionary that was built for it.
  virtual void answer_hashed(std::span<const std::string_view> keys, const Visit& visit);

  /// Is called with a key, the suffix of it that was found, and the answer for that.
  using SuffixVisit =
      std::function<void(std::string_view key, std::string_view suffix, const Answer& answer)>;
  /// Calls visit for each key, in order, with its longest suffix (crivo/suffixes.hpp) that is
  /// found; where none is, with an empty suffix and the answer for the key itself. In an exact set
  /// with groups, where keys are group TAB key, the group belongs to each of the key's suffixes.
  /// Throws Error(usage) unless tells_absent(), Error(bad_input) at the first key whose suffixes
  /// have over 16 MiB together, with its index and 1 as line, and as answer() does.
  void answer_suffixes(std::span<const std::string_view> keys, char delimiter,
                       const SuffixVisit& visit);

  /// Tells whether it answers ranges of keys: a filter of type range.
  virtual bool takes_ranges() const noexcept { return false; }
  /// Calls visit with the text of each range, in order, and whether there may be a key from `low`
  /// to `high`. Throws Error(usage) unless takes_ranges(), Error(bad_input) at the first of which
  /// one of two ends has more than 8 bytes, after the answers before, with its index and 1 as line,
  /// and what `visit` throws.
  virtual void answer_ranges(std::span<const AskedRange> ranges, const Visit& visit);

  /// Answers one of the KindInfo::queries of the kind: calls visit for each key that it is
  /// about. Throws Error(usage) if the kind has no such query, or it takes another number of
  /// values.
  virtual void query(std::string_view name, std::span<const std::string> values,
                     const Visit& visit);
  /// Calls visit for each key that the index holds, with its record or null where the kind has
  /// none, as a build reads them. Throws Error(usage) if it holds no keys, Error(corrupt), and what
  /// `visit` throws.
  virtual void for_each(
      const std::function<void(std::string_view key, const std::string_view* record)>& visit) const;

 protected:
  /// `kind` outlives it; `name` is the path, for messages.
  OpenIndex(std::string name, std::string_view kind) : name_(std::move(name)), kind_(kind) {}
  /// Returns how many bytes of a key stand before what has suffixes, and belong to each of them.
  virtual std::size_t bytes_before_suffixes(std::string_view /*key*/) const noexcept { return 0; }

 private:
  friend class index::RemoteIndex;  // which asks another for it

  std::string name_;
  std::string_view kind_;
};

/// Count how many of the keys are found, in a loop of lookups of the kind's own class, one key
/// after another or by its batches: what `crivo bench` measures. Throw Error(usage) for an index
/// that OpenIndex::open() did not open, and Error(corrupt) at a record that is damaged.
CRIVO_API std::uint64_t count_one_by_one(OpenIndex& index, std::span<const std::string_view> keys);
CRIVO_API std::uint64_t count_in_batches(OpenIndex& index, std::span<const std::string_view> keys);

}  // namespace crivo
