// SPDX-License-Identifier: Apache-2.0
/// An index of rows as a file, or a chain of such files, its layers (formats/rows.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "file/container.hpp"
#include "lookup/layered_names.hpp"
#include "lookup/map_file.hpp"
#include "structures/tables/file_list.hpp"
#include "structures/tables/file_stamps.hpp"
#include "structures/tables/row_lists.hpp"

namespace crivo::tables {

/// The numbers of the rows of each key, among those of all files: one by a map, or some by lists.
/// Over a container that must outlive it.
class KeyRows {
 public:
  /// Throws Error(corrupt), named after the container.
  explicit KeyRows(const file::Container& container);

  /// Null where keys have lists; and the other way round.
  const map::MapFile* map() const noexcept { return map_ ? &*map_ : nullptr; }
  const RowLists* lists() const noexcept { return lists_ ? &*lists_ : nullptr; }
  /// 0 (none), 8, 16 or 32.
  unsigned signature_bits() const noexcept {
    return map_ ? map_->signature_bits() : lists_->signature_bits();
  }
  /// The bits of a row's number.
  unsigned width() const noexcept { return map_ ? map_->function().width() : lists_->width(); }

  /// Calls visit(number) for the rows that a key has, as long as it returns true; numbers of a key
  /// outside the set may be any. False, without a call, if bytes that tell it are damaged.
  template <typename Visit>
  bool visit(Hash128 hash, Visit&& visit) const {
    if (map_) {
      const std::optional<std::uint64_t> number = map_->lookup(hash);
      if (map_->is_damaged(hash)) return false;
      if (number) visit(*number);
      return true;
    }
    const RowLists::Places all = lists_->find(hash);
    if (lists_->is_damaged(hash)) return false;
    for (std::uint64_t place = all.begin; place != all.end && visit(lists_->row(place)); ++place)
      continue;
    return true;
  }

 private:
  std::optional<map::MapFile> map_;
  std::optional<RowLists> lists_;
};

/// One file of the index. Over a container that must outlive it.
struct RowLayer {
  /// Throws Error(corrupt), named after the container.
  RowLayer(const file::Container& container, std::uint64_t first);

  const file::Container* container;
  KeyRows keys;
  FileList files;
  std::optional<FileStamps> stamps{};  ///< of the files, where they were looked at
  std::uint64_t first_file;            ///< the number of its first, of all layers' files
};

/// A file, or a chain with its layers in order: a later one was added later.
class RowLayers {
 public:
  /// Over the file itself and, of a chain, those that it names, which must outlive it. Throws
  /// Error(corrupt) where these do not belong together.
  RowLayers(const file::Container& own, const std::vector<file::Container>& links);

  std::span<const RowLayer> layers() const noexcept { return layers_; }
  const RemovedNames& removed() const noexcept { return names_.removed(); }

  /// The number of keys, rows and files of all layers.
  std::uint64_t keys() const noexcept { return names_.keys(); }
  std::uint64_t rows() const noexcept { return rows_; }
  std::uint64_t files() const noexcept { return removed().names(); }
  /// Whether keys are numbers, of all layers.
  bool has_numbers() const noexcept { return has_numbers_; }
  /// Whether keys of a layer may have several rows; and the rows that keys have, a row that several
  /// have as often.
  bool has_lists() const noexcept;
  std::uint64_t places() const noexcept;
  /// The number of rows whose keys were NULL.
  std::uint64_t null_keys() const noexcept;
  /// The layer that has a file of all.
  const RowLayer& layer_of(std::uint64_t file) const noexcept;
  std::string_view name(std::uint64_t file) const noexcept {
    const RowLayer& layer = layer_of(file);
    return layer.files.name(file - layer.first_file);
  }
  /// The place in a layer of the number that it gives a key. Nothing of one that is no row of a
  /// file that is there, which a key outside the set may get.
  std::optional<RowPlace> place(const RowLayer& layer, std::uint64_t number) const noexcept {
    if (number >= layer.files.rows()) return {};
    const RowPlace place = layer.files.place(number);
    if (removed().has(layer.first_file + place.file)) return {};
    return place;
  }
  /// Returns the state that the files have come to, which a chain names.
  const file::Digest& state() const noexcept { return names_.state(); }

 private:
  RowLayers(std::vector<RowLayer> layers, const file::Container& own,
            const std::vector<file::Container>& links);

  std::vector<RowLayer> layers_;
  LayeredNames names_;
  bool has_numbers_ = false;
  std::uint64_t rows_ = 0;
};

}  // namespace crivo::tables
