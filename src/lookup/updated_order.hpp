// SPDX-License-Identifier: Apache-2.0
/// The order of an ordered store's keys, as updates have left them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "records/backend.hpp"
#include "structures/dictionary/reader.hpp"

namespace crivo::index {

/// Where the keys that have records are, counted from the first: those of the build, which the
/// dictionary has in order, without the removed ones, and between them the added ones. Memory: 16
/// bytes an added key, 8 one of the build that is removed. For any number of threads.
class UpdatedOrder {
 public:
  /// Both outlive this. Reads all added keys. Throws Error(corrupt).
  UpdatedOrder(const records::RecordFile& records, const dictionary::Reader& keys);

  /// How many keys have a record.
  std::uint64_t size() const noexcept { return keys_.size() - removed_.size() + added_.size(); }

  /// Whether `texts` below have to be there, which are a reader of the records.
  bool has_added() const noexcept { return !added_.empty(); }
  /// How many of them are below `text`; nothing where an added key is damaged. What it touches of
  /// the dictionary may be damaged, too. Allocates nothing.
  std::optional<std::uint64_t> below(std::string_view text,
                                     records::RecordReader* texts) const noexcept;
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  /// Those that begin with `text`; the same.
  std::optional<Range> prefix(std::string_view text, records::RecordReader* texts) const noexcept;

  /// The next key of the build, by its rank, and the next added one, by its number here: one of
  /// them is the key that is meant.
  struct Place {
    std::uint64_t sealed = 0;
    std::size_t added = 0;
  };
  /// That of the key before which so many have a record: at most size().
  Place at(std::uint64_t position) const noexcept;
  bool is_added(const Place& place) const noexcept {
    return place.added < added_.size() && added_[place.added].before <= place.sealed;
  }
  /// To the key after.
  void advance(Place& place) const noexcept;
  /// Of an added key.
  std::uint64_t rank_of(const Place& place) const noexcept { return added_[place.added].rank; }

 private:
  struct Added {
    std::uint64_t before;  ///< so many keys of the build are below
    std::uint64_t rank;
  };
  /// How many records are below a place that is before the key of the build with this rank, and
  /// behind those added keys before it of which is_below().
  template <typename IsBelow>
  std::optional<std::uint64_t> position(std::uint64_t sealed, records::RecordReader* texts,
                                        const IsBelow& is_below) const noexcept;
  std::uint64_t removed_below(std::uint64_t rank) const noexcept;
  void sort_by_text(std::span<Added> alike) const;

  const records::RecordFile& records_;
  const dictionary::Reader& keys_;
  std::vector<std::uint64_t> removed_;  ///< ranks of the build
  std::vector<Added> added_;
};

}  // namespace crivo::index
