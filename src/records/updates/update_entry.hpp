// SPDX-License-Identifier: Apache-2.0
/// The entries of an overlay: what becomes of one record of a sealed store, and the state of all.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"
#include "records/identity.hpp"

namespace crivo::records {

/// An entry's value, whose key is the rank. Bytes: u64 check, XXH3-64 of all that follows, seed:
/// the rank; u8 kind, 1 of a new record, 2 of one that was removed; varint key length; the key; the
/// record (none of one that was removed).
struct UpdateEntry {
  enum class Kind : std::uint8_t { changed = 1, removed = 2 };
  static constexpr std::size_t kCheckSize = 8;
  /// Of the check and the kind: what a walk over all entries looks at.
  static constexpr std::size_t kFrontSize = kCheckSize + 1;

  Kind kind = Kind::changed;
  std::string_view key;
  std::string_view record;

  /// Of a key's new record. Throws Error(bad_input) if one of them is over the limit.
  static UpdateEntry changed_to(std::string_view key, std::string_view record);

  base::Bytes encode(std::uint64_t rank) const;
  /// Nothing if the bytes are not what was written for this rank.
  static std::optional<UpdateEntry> decode(base::ByteView bytes, std::uint64_t rank) noexcept;
};

/// What the entries' fronts add up to, in any order.
struct UpdateTotals {
  std::uint64_t entries = 0;
  std::uint64_t removed = 0;  ///< of them
  std::uint64_t sum = 0;      ///< of their checks, modulo 2^64

  /// Adds an entry whose value begins with kFrontSize bytes `front`; and takes one away.
  void add(base::ByteView front) noexcept;
  void remove(base::ByteView front) noexcept;
  bool operator==(const UpdateTotals&) const = default;
};

/// The value of the one entry after all ranks, with key kIdentityKey. Bytes: "CRIVOUPD"; u32
/// version; u32 zero; 16 bytes content id of the store; u64 number of updates that were committed;
/// u64 entries; u64 removed; u64 sum; u64 XXH3-64 of all before.
struct UpdateState {
  static constexpr std::uint32_t kVersion = 1;
  static constexpr std::size_t kSize = 72;

  std::uint32_t version = kVersion;
  ContentId content_id{};
  std::uint64_t commits = 0;
  UpdateTotals totals;

  base::Bytes encode() const;
  /// Nothing if the bytes are no such state.
  static std::optional<UpdateState> decode(base::ByteView bytes) noexcept;
};

}  // namespace crivo::records
