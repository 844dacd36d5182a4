// SPDX-License-Identifier: Apache-2.0
/// Numbers that stand beside the keys of a dictionary, by id.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/page_checks.hpp"

namespace crivo::dictionary {

/// Numbers in memory, whose bytes are not trusted: those of a block of keys are what they are more
/// than the least of them, in as few bits as the largest of that takes.
class Values {
 public:
  /// Opens the values of so many keys, in blocks of `block_keys`. Throws Error(corrupt) where the
  /// section is too short for what all blocks have. O(1).
  Values(const base::CheckedBytes& section, std::uint64_t keys, unsigned block_keys);

  /// That of an id; nothing for an id that no key has, or where the section is damaged.
  std::optional<std::uint64_t> get(std::uint64_t id) const noexcept;
  /// values[i] = get(ids[i]), or 0 where present[i] is false, of spans of one length. What several
  /// of them wait for is asked of memory at once.
  void get(std::span<const std::uint64_t> ids, std::span<std::uint64_t> values,
           std::span<bool> present) const noexcept;

 private:
  struct Head {
    std::uint64_t least;
    std::uint64_t begin;  ///< in packed_
    unsigned width;
  };
  Head head(std::uint64_t block) const noexcept;

  base::Pages pages_;
  base::ByteView heads_;
  base::ByteView packed_;  ///< without the padding behind
  std::uint64_t keys_;
  unsigned block_keys_;
};

}  // namespace crivo::dictionary
