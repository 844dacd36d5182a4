// SPDX-License-Identifier: Apache-2.0
/// Keys that belong to groups, as the members and the universe of an exact set do.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/progress.hpp"
#include "base/spool.hpp"
#include "crivo/build/keys.hpp"
#include "hashing/batch_hash.hpp"
#include "hashing/hash_family.hpp"
#include "input/hash_keys.hpp"
#include "input/hash_log.hpp"
#include "input/noted_names.hpp"
#include "input/places.hpp"

namespace crivo::input {

/// Where the group of a key stands.
struct Grouping {
  bool grouped = false;
  /// One character: the group is what the key's text has before the first of it, and the key what
  /// is behind it. Empty: units are pairs, a key and its group in the place of a record.
  std::string delimiter{};
  /// Units are keys, each in the group that its file has here. They outlive the grouping. Empty: as
  /// above.
  std::span<const std::string> of_files{};

  bool is_of_pairs() const noexcept { return grouped && delimiter.empty() && of_files.empty(); }
};

/// That of an input of a filter set. Throws Error(usage) for names in KeyInput::groups that no
/// groups can have, and for standard input, which has none.
Grouping grouping_of(const KeyInput& input);

/// The format with the columns of a group and its key where none are named: the first and the
/// second.
KeyFormat grouped_format(const KeyFormat& format, const Grouping& grouping);

/// hash_keys() of keys with their groups, each with the first half of its group's hash as its
/// value. `options.hash` is that of keys and of names alike. Without groups it is hash_keys().
void hash_grouped_keys(const KeyInput& input, const Grouping& grouping, const HashOptions& options,
                       const base::BuildContext& context, const UseKeys& use);

/// The names of the groups of an input's keys, by the first halves of their hashes. Safe for any
/// number of threads.
class GroupNames final : public NotedNames {
 public:
  /// The names of groups of filter sets have 1 to 255 bytes, but no NUL, TAB or LF.
  static constexpr std::size_t kMostBytes = 255;

  struct Group {
    std::string name;
    std::uint64_t keys = 0;  ///< repeats counted
  };

  /// Within so much memory.
  explicit GroupNames(std::uint64_t memory_bytes) noexcept : memory_bytes_(memory_bytes) {}

  /// Adds `keys` to the group's. Throws Error(io) where memory has no room for the name,
  /// Error(bad_input) where another name has its hash.
  void add(std::uint64_t hash, std::string_view name, std::uint64_t keys);
  /// Adds those that an input of a filter set has in any case, without a key.
  void add_given(const KeyInput& input, const hashing::SeededHash& hash);
  const std::unordered_map<std::uint64_t, Group>& groups() const noexcept { return groups_; }
  /// In the order of their hashes.
  base::Bytes noted() const override;
  void go_on_from(base::ByteView noted, const std::string& name) override;
  /// Adds of what was noted those of a range of hashes.
  void add_noted(base::ByteView noted, const std::string& name, std::uint64_t least,
                 std::uint64_t most);
  /// About what they take.
  std::uint64_t memory_bytes() const noexcept { return used_bytes_; }

 private:
  std::mutex mutex_;
  std::uint64_t memory_bytes_;
  std::uint64_t used_bytes_ = 0;
  std::unordered_map<std::uint64_t, Group> groups_;
};

/// hash_keys() of an input of a filter set, where a key's hash is that of its group's name for
/// `hi`, and the first half of its own for `lo`: so that keys are in the order of their groups. Of
/// equal ones one is kept, and how they are spread is not looked at. The names come to `names`,
/// which is empty. `options.hash` is that of keys and of names alike.
void hash_keys_by_group(const KeyInput& input, const HashOptions& options, GroupNames& names,
                        const base::BuildContext& context, const UseKeys& use);

/// A key with the name of its group, and where it stands.
struct GroupedText {
  std::string_view group;
  std::string_view key;
  Place place;
};
/// Calls visit(thread, text) for all keys of an input with groups, in any order, from all threads
/// at once. What it throws as InputFault, and other errors, name the file and the line.
using VisitGroupedText = std::function<void(unsigned thread, const GroupedText& text)>;
void for_each_grouped_text(const KeyInput& input, const Grouping& grouping,
                           const base::BuildContext& context, const VisitGroupedText& visit);

/// The hashes of an input that is gone through more than once. What cannot be read again (a pipe)
/// is kept by its hashes, 16 bytes a key or 24 with a group, as a scratch has room in memory or
/// temporary disk. With a log it is kept there, and read but once.
class RepeatedInput {
 public:
  using Visit = HashLog::Visit;

  /// `input`, `scratch` and what `log` names must outlive it. With `again` false it is gone through
  /// once, and nothing is kept.
  RepeatedInput(const KeyInput& input, Grouping grouping, hashing::SeededHash hash,
                base::Scratch* scratch, bool again = true, const HashLogPlace& log = {});

  /// Calls visit(thread, hashes, groups) for all keys, in any order, from all threads at once;
  /// groups[i] is the first half of the hash of hashes[i]'s group, and there are none without
  /// groups. Errors name the file and the line.
  void for_each(const base::BuildContext& context, const Visit& visit);

 private:
  struct Room;
  void read(const base::BuildContext& context, const Visit& visit);
  void fill_log(const base::BuildContext& context);
  /// Has the keys of a chunk visited.
  void hash_chunk(const Chunk& chunk, const hashing::BatchHash& together, unsigned thread,
                  const Visit& visit, Room& room) const;
  /// Hashes the keys that wait, and has them visited.
  void hash_all(const hashing::BatchHash& together, unsigned thread, const Visit& visit,
                Room& room) const;
  void read_kept(const base::BuildContext& context, const Visit& visit) const;

  const KeyInput& input_;
  KeyFormat format_;  ///< with the columns of groups
  Grouping grouping_;
  hashing::SeededHash hash_;
  bool keeps_;
  bool kept_ = false;
  base::Spool spool_;
  HashLogPlace log_place_;
  std::unique_ptr<HashLog> log_;  ///< once it is filled, where there is one
};

}  // namespace crivo::input
