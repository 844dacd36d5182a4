// SPDX-License-Identifier: Apache-2.0
/// The files that the rows of a directory of keys are in.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "build/map_input.hpp"

namespace crivo::index {

class KeyFile;

/// The files of all tasks, each of which has numbers of its own for those that it met.
class DealtFiles {
 public:
  DealtFiles() = default;
  /// Joins those of all tasks. Throws Error(usage) where tasks know other row groups;
  /// Error(corrupt).
  explicit DealtFiles(const std::vector<std::unique_ptr<const KeyFile>>& keys);

  /// The files of all, in the order of their names.
  const std::vector<input::RowFile>& files() const noexcept { return files_; }
  bool has_groups() const noexcept { return has_groups_; }
  std::uint64_t rows() const noexcept { return rows_; }
  std::uint64_t nulls() const noexcept { return nulls_; }
  /// The number of a row among those of all files, by its place in those of a task. Throws
  /// Error(corrupt) where there is none.
  std::uint64_t number_of(const KeyFile& keys, std::uint64_t place) const;

 private:
  /// The rows of a file of a task.
  struct Rows {
    std::uint64_t first = 0;  ///< among those of all files
    std::uint64_t count = 0;
  };

  std::vector<input::RowFile> files_;
  bool has_groups_ = false;
  std::uint64_t rows_ = 0;
  std::uint64_t nulls_ = 0;
  std::vector<std::vector<Rows>> tasks_;
};

}  // namespace crivo::index
