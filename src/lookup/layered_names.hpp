// SPDX-License-Identifier: Apache-2.0
/// What chains of layers share (formats/delta.md): each file stands by itself, and has names, of
/// files or groups, which have numbers layer by layer. Some were removed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "file/container.hpp"
#include "structures/removed_names.hpp"

namespace crivo {

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
