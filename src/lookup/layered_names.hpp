// SPDX-License-Identifier: Apache-2.0
/// What chains of layers share (formats/delta.md): each file stands by itself, and has names, of
/// files or groups, which have numbers layer by layer. Some were removed.
///
/// The section of a chain that says which names of its layers were removed (formats/delta.md):
/// files of an index of rows, or groups of a filter set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "file/container.hpp"

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

/// The most layers of a chain, each of which a lookup asks.
inline constexpr std::size_t kMostLayers = 64;

class LayeredNames {
 public:
  /// Over the file itself and, of a chain, those that it names, each of which has so many names of
  /// `counts`. Throws Error(corrupt) where these do not belong together.
  LayeredNames(const file::Container& own, const std::vector<file::Container>& links,
               std::span<const std::uint64_t> counts);

  const RemovedNames& removed() const noexcept { return removed_; }
  /// The number of keys of all layers.
  std::uint64_t keys() const noexcept { return keys_; }
  /// Returns the state that the files have come to, which a chain names.
  const file::Digest& state() const noexcept { return state_; }

 private:
  void check_chain(const file::Container& chain, const std::vector<file::Container>& layers,
                   std::uint64_t names) const;

  RemovedNames removed_;
  file::Digest state_{};
  std::uint64_t keys_ = 0;
};

/// The state of a chain with one layer more.
file::Digest state_with(const std::optional<file::Digest>& before, const file::Digest& layer);

}  // namespace crivo
