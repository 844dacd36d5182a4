// SPDX-License-Identifier: Apache-2.0
/// Sets of filters: group -> a filter of its keys, thousands of them in one file.
///
///     const crivo::FilterSet files = crivo::FilterSet::open("files.crv");
///     files.visit_groups(key, [&](std::uint64_t group) { look_into(files.name(group)); });
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "crivo/detail/export.hpp"
#include "crivo/detail/views.hpp"
#include "crivo/key.hpp"
#include "crivo/open.hpp"
#include "crivo/progress.hpp"

namespace crivo {

struct FileInfo;

/// Asks a set of filters in a mapped file, one for each group of keys: each says true for the keys
/// of its group, and for a fraction fpr() of all others. A group is known by its name, and by its
/// number in the order of the names.
///
/// Immutable once open: lookups may run in any number of threads and read no byte outside the file,
/// whatever it holds; those that return nothing of their own allocate nothing. They throw nothing
/// but Error(usage): for a KeyHash that another function made than hash_function(), and for spans
/// that are not as long as is said. Movable; not copyable.
class CRIVO_API FilterSet {
 public:
  /// Maps a file that `crivo build filterset` or build_filter_set() wrote, and checks its header in
  /// time that does not grow with its groups; or a chain of such files (add_groups()), which is
  /// asked as one set of those groups that were not removed, and takes some 30 bytes and 100 ns a
  /// group. Replace the file by rename, never in place: see OpenMode. Throws Error: corrupt,
  /// too_new, too_old, io, or usage if the file holds something else.
  static FilterSet open(const std::filesystem::path& path, const OpenOptions& options = {});
  /// Opens the bytes of such a file, at any alignment. They must outlive what is opened, unless the
  /// mode is `copy`; the other modes say nothing of bytes.
  static FilterSet open(std::span<const std::byte> bytes, const OpenOptions& options = {});

  ~FilterSet();
  FilterSet(FilterSet&&) noexcept;
  FilterSet& operator=(FilterSet&&) noexcept;

  /// Returns the number of keys of all groups: one that is in two counts twice. Of a chain also
  /// those of removed groups; about that where groups were removed before compact_groups().
  std::uint64_t size() const noexcept;
  /// Returns the seed of the keys' hashes.
  std::uint64_t seed() const noexcept { return hash_function_.seed(); }
  /// Returns what inspect() says of the file.
  FileInfo info() const;
  /// Does what verify() does: reads every byte and checks it. Throws Error(corrupt).
  void verify(const Resources& resources = {}) const;
  /// Returns what keys are hashed with here. One hash of a key asks all groups.
  const HashFunction& hash_function() const noexcept { return hash_function_; }
  /// Returns the designed false-positive rate of a group.
  double fpr() const noexcept;

  /// Returns the number of groups, and the name of each, below groups(): 1 to 255 bytes, valid as
  /// long as what is open. Names ascend, byte by byte.
  std::uint64_t groups() const noexcept;
  std::string_view name(std::uint64_t group) const noexcept;
  /// Returns the number of the group of that name, if there is one. O(log groups).
  std::optional<std::uint64_t> find(std::string_view name) const noexcept;

  /// False: the key is surely not in the group, or there is no such group. True: it is, or it is a
  /// false positive. A key is a text, bytes, a 64-bit number, a KeyHash or a Key.
  template <typename Asked>
  bool contains(std::uint64_t group, const Asked& key) const {
    return contains_hash(group, hash_of(key));
  }
  template <typename Asked>
  bool contains(std::string_view group, const Asked& key) const {
    const std::optional<std::uint64_t> number = find(group);
    return number && contains_hash(*number, hash_of(key));
  }
  /// answers[i] = contains(group, hashes[i]). Both spans are of one length.
  void contains(std::uint64_t group, std::span<const KeyHash> hashes,
                std::span<bool> answers) const;

  /// Returns the words of a bitmap of all groups: groups() / 64, rounded up.
  std::size_t bitmap_words() const noexcept;
  /// Sets bit g % 64 of word g / 64 where group g may hold the key, and clears all others. A cache
  /// miss a group, of which many are overlapped: some 15 ns; in blocks a few for 512 groups: 1 ns a
  /// group. `bitmap` has bitmap_words().
  template <typename Asked>
  requires(!std::is_convertible_v<const Asked&, std::span<const KeyHash>>) void groups_of(
      const Asked& key, std::span<std::uint64_t> bitmap) const {
    const KeyHash hash = hash_of(key);
    groups_of(std::span<const KeyHash>(&hash, 1), bitmap);
  }
  /// Does the same for many keys, of a few at a time: the bitmaps, one behind the other.
  void groups_of(std::span<const KeyHash> hashes, std::span<std::uint64_t> bitmaps) const;
  /// Adds to counts[g] how many of the keys group g may hold: that all of them are in it, or most.
  /// `counts` has groups().
  void count(std::span<const KeyHash> hashes, std::span<std::uint32_t> counts) const;

  /// Calls visit(group) for each that may hold the key, ascending.
  template <typename Asked, typename Visit>
  void visit_groups(const Asked& key, Visit&& visit) const {
    std::vector<std::uint64_t> bitmap(bitmap_words());
    groups_of(key, bitmap);
    for (std::size_t word = 0; word < bitmap.size(); ++word) {
      for (std::uint64_t left = bitmap[word]; left != 0; left &= left - 1)
        visit(64 * word + static_cast<unsigned>(std::countr_zero(left)));
    }
  }

 private:
  struct CRIVO_LOCAL Impl;
  explicit FilterSet(std::unique_ptr<const Impl> impl);

  template <typename Asked>
  KeyHash hash_of(const Asked& key) const {
    if constexpr (std::is_same_v<Asked, KeyHash>) {
      return key;
    } else if constexpr (std::is_same_v<Asked, Key>) {
      return key.hash(hash_function_);
    } else if constexpr (KeyNumber<Asked>) {
      return hash_function_(static_cast<std::uint64_t>(key));
    } else if constexpr (std::is_convertible_v<const Asked&, std::span<const std::byte>>) {
      return hash_function_(std::span<const std::byte>(key));
    } else {
      return hash_function_(std::string_view(key));
    }
  }
  bool contains_hash(std::uint64_t group, const KeyHash& hash) const;

  HashFunction hash_function_;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace crivo
