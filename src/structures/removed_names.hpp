// SPDX-License-Identifier: Apache-2.0
/// The section of a chain that says which names of its layers were removed (formats/delta.md):
/// files of an index of rows, or groups of a filter set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"

namespace crivo {

/// Which of the names of all layers were removed. A name is known by its number, layer by layer.
class RemovedNames {
 public:
  RemovedNames() = default;
  /// None of `names`.
  explicit RemovedNames(std::uint64_t names) : is_removed_(names) {}
  /// Throws Error(corrupt).
  static RemovedNames decode(base::ByteView section);
  base::Bytes encode() const;

  std::uint64_t names() const noexcept { return is_removed_.size(); }
  bool has(std::uint64_t name) const noexcept { return is_removed_[name]; }
  std::uint64_t count() const noexcept {
    return static_cast<std::uint64_t>(std::ranges::count(is_removed_, true));
  }
  void add(std::uint64_t name) { is_removed_[name] = true; }
  /// Has the names [begin, end) no more, removed or not.
  void forget(std::uint64_t begin, std::uint64_t end);
  /// Has `names` more, which are not removed.
  void append(std::uint64_t names) { is_removed_.resize(is_removed_.size() + names); }

 private:
  std::vector<bool> is_removed_;
};

}  // namespace crivo
