// SPDX-License-Identifier: Apache-2.0
/// The sections that say of the files of a table how they were, and which are no more
/// (formats/rows.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/page_checks.hpp"
#include "file/table_stamp.hpp"

namespace crivo::tables {

base::Bytes encode_stamps(std::span<const file::TableStamp> stamps);

/// Such a section, which must outlive it: a stamp for each of `files`.
class FileStamps {
 public:
  /// Touches all of it. Throws Error(corrupt).
  FileStamps(const base::CheckedBytes& section, std::uint64_t files);
  file::TableStamp stamp(std::uint64_t file) const noexcept;

 private:
  const std::byte* stamps_;
};

/// Which of the files of all layers were removed.
class RemovedFiles {
 public:
  RemovedFiles() = default;
  /// None of `files`.
  explicit RemovedFiles(std::uint64_t files) : is_removed_(files) {}
  /// Throws Error(corrupt).
  static RemovedFiles decode(base::ByteView section);
  base::Bytes encode() const;

  std::uint64_t files() const noexcept { return is_removed_.size(); }
  bool has(std::uint64_t file) const noexcept { return is_removed_[file]; }
  std::uint64_t count() const noexcept {
    return static_cast<std::uint64_t>(std::ranges::count(is_removed_, true));
  }
  void add(std::uint64_t file) { is_removed_[file] = true; }
  /// Has the files [begin, end) no more, removed or not.
  void forget(std::uint64_t begin, std::uint64_t end);
  /// Has `files` more, which are not removed.
  void append(std::uint64_t files) { is_removed_.resize(is_removed_.size() + files); }

 private:
  std::vector<bool> is_removed_;
};

}  // namespace crivo::tables
