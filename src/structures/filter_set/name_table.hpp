// SPDX-License-Identifier: Apache-2.0
/// The names of a filter set's groups, which ascend: each its length and its bytes, with an entry
/// for each 32 that says where they begin.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"

namespace crivo::filter_set {

/// So many groups, or cells, share an entry that says where they are.
inline constexpr std::uint64_t kBlock = 32;

/// Over bytes that must outlive it; whatever they hold, no byte outside them is read.
class NameTable {
 public:
  NameTable() = default;
  /// `places` has entries of so many bytes, which begin with a place among the names.
  NameTable(std::uint64_t groups, base::ByteView places, std::uint64_t entry_bytes,
            base::ByteView names) noexcept
      : groups_(groups), places_(places.data()), entry_bytes_(entry_bytes), names_(names) {}

  /// The name of a group below `groups`; empty where the bytes have none.
  std::string_view name(std::uint64_t group) const noexcept;
  /// The number of the group of that name. O(log groups).
  std::optional<std::uint64_t> find(std::string_view name) const noexcept;
  /// Throws Error(corrupt) unless all names are sound. O(groups).
  void check() const;

 private:
  std::uint64_t groups_ = 0;
  const std::byte* places_ = nullptr;
  std::uint64_t entry_bytes_ = 0;
  base::ByteView names_;
};

}  // namespace crivo::filter_set
