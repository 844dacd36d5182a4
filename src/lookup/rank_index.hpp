// SPDX-License-Identifier: Apache-2.0
/// An MPHF with its signatures, as the sections of a file: what MPHF files and stores share.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "file/container.hpp"
#include "structures/mphf.hpp"
#include "structures/signatures.hpp"

namespace crivo::index {

/// Over a container that must outlive it. Immutable; safe for any number of threads.
struct RankIndex {
  /// The answer of lookup() for a key that is surely not in the set.
  static constexpr std::uint64_t kAbsent = UINT64_MAX;

  /// Finds and checks the sections; throws Error(corrupt), named after the container.
  explicit RankIndex(const file::Container& container);

  std::uint64_t lookup(Hash128 hash) const noexcept {
    if (function->size() == 0) return kAbsent;
    const std::uint64_t rank = function->rank(hash);
    return signatures.match(rank, hash) ? rank : kAbsent;
  }
  void lookup(std::span<const Hash128> hashes, std::uint64_t* ranks) const noexcept;

  std::string_view algorithm;
  std::unique_ptr<const mphf::Function> function;
  mphf::Signatures signatures;
};

}  // namespace crivo::index
