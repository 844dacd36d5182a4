// SPDX-License-Identifier: Apache-2.0
/// Ids by the hashes of keys, whose texts are not looked at (formats/dictionary.md, "Hashed ids").
///
///     hash ──▶ MPHF ──▶ rank ──▶ entry: signature | id
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.hpp"
#include "base/page_checks.hpp"
#include "hashing/hash128.hpp"
#include "structures/mphf.hpp"

namespace crivo::dictionary {

/// The bytes before the entries.
inline constexpr std::size_t kHashedIdsHead = 16;
/// The bits of an id below `keys`.
constexpr unsigned id_bits(std::uint64_t keys) noexcept {
  return keys < 2 ? 0 : static_cast<unsigned>(std::bit_width(keys - 1));
}

/// An MPHF over the hashes of n keys, and for each of its ranks an entry: some bits of the hash of
/// the key with that rank, and the key's id. So a lookup waits for the MPHF's memory and for one
/// entry. Over mapped bytes that are not trusted: any answer is below n, or kAbsent. Immutable;
/// safe for any number of threads.
class HashedIds {
 public:
  static constexpr std::uint64_t kAbsent = UINT64_MAX;

  /// Throws Error(corrupt) unless the section is of the function's keys. O(1).
  HashedIds(std::unique_ptr<const mphf::Function> function, const base::CheckedBytes& section);

  /// 8 or 16: a hash of no key has an id with probability 2^-signature_bits().
  unsigned signature_bits() const noexcept { return signature_bits_; }

  /// Returns the checks of its pages; null if they are not checked.
  const base::PageChecks* checks() const noexcept { return pages_.checks(); }

  std::uint64_t find(Hash128 hash) const noexcept;
  /// ids[i] = find(hashes[i]), with the cache misses overlapped. `ids` has room for hashes.size().
  void find(std::span<const Hash128> hashes, std::uint64_t* ids) const noexcept;

 private:
  std::uint64_t id_at(std::uint64_t rank, Hash128 hash) const noexcept;

  base::Pages pages_;
  std::unique_ptr<const mphf::Function> function_;
  std::uint64_t keys_;
  unsigned signature_bits_;
  unsigned entry_bits_;
  const std::byte* entries_;
};

}  // namespace crivo::dictionary
