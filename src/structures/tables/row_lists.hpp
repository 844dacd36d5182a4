// SPDX-License-Identifier: Apache-2.0
/// The rows of keys that stand in several places, as formats/rows.md lays them out.
#pragma once

#include <cstdint>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "base/page_checks.hpp"
#include "hashing/hash128.hpp"
#include "structures/bits/elias_fano.hpp"
#include "structures/bits/packed.hpp"

namespace crivo::tables {

inline constexpr std::uint64_t kRowListsHead = 64;
inline constexpr unsigned kMostNumberBits = 56;
inline constexpr std::uint64_t kMostPlaces = std::uint64_t{1} << kMostNumberBits;

/// What a key is known by among n: it ascends with the key's hash.
struct KeyMark {
  KeyMark(Hash128 hash, std::uint64_t n, unsigned signature_bits) noexcept {
    const auto product = static_cast<unsigned __int128>(hash.hi) * n;
    bucket = static_cast<std::uint64_t>(product >> 64);
    signature = base::top_bits(static_cast<std::uint64_t>(product), signature_bits);
  }

  std::uint64_t bucket;  ///< below n
  std::uint64_t signature;
  friend bool operator==(const KeyMark&, const KeyMark&) = default;
};

/// Such a section, which must outlive it: for each key the numbers of its rows, ascending.
/// Immutable; safe for any number of threads.
class RowLists {
 public:
  /// Throws Error(corrupt). O(1).
  explicit RowLists(const base::CheckedBytes& section);

  /// The number of keys, and of the places that they stand in.
  std::uint64_t keys() const noexcept { return keys_; }
  std::uint64_t places() const noexcept { return places_; }
  /// The bits of a row's number.
  unsigned width() const noexcept { return width_; }
  /// 8, 16 or 32.
  unsigned signature_bits() const noexcept { return signature_bits_; }

  /// The places of a key, from `begin` to before `end`.
  struct Places {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  /// The places of a key of the set; of another mostly none, and otherwise those of some key.
  Places find(Hash128 hash) const noexcept;
  /// The row at a place that find() gave. A damaged file may have any.
  std::uint64_t row(std::uint64_t place) const noexcept {
    return bits::load_bits(rows_, place * width_, width_);
  }
  /// Whether find(hash), or a row there, rests on damaged bytes.
  bool is_damaged(Hash128 hash) const noexcept {
    return base::rests_on_damage(pages_.checks(), [&] { (void)find(hash); });
  }

 private:
  std::uint64_t signature(std::uint64_t key) const noexcept;
  /// The number of a key whose mark others have, too; keys() if it is none of them.
  std::uint64_t find_alike(Hash128 hash) const noexcept;

  base::Pages pages_;
  std::uint64_t keys_ = 0;
  std::uint64_t places_ = 0;
  unsigned width_ = 0;
  unsigned signature_bits_ = 0;
  const std::byte* rows_ = nullptr;
  bits::EliasFano list_begins_;    ///< of each key: its first place
  bits::EliasFano bucket_begins_;  ///< of each bucket: its first key
  const std::byte* signatures_ = nullptr;
  const std::byte* alike_ = nullptr;
  std::uint64_t alike_count_ = 0;
};

}  // namespace crivo::tables
