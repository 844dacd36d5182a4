// SPDX-License-Identifier: Apache-2.0
/// The tie between an environment and the index file that was built with it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"

namespace crivo::records {

/// XXH3-128 of all records as stored; see formats/store.md.
using ContentId = std::array<std::byte, 16>;

/// The version of the environment's contents that this code writes and reads.
inline constexpr std::uint32_t kStoreVersion = 1;

/// The key, after every rank, of the environment's one entry that is not a group: its identity.
inline constexpr std::uint64_t kIdentityKey = ~std::uint64_t{0};

/// The value of that entry.
struct Identity {
  static constexpr std::size_t kSize = 40;
  static constexpr std::string_view kMagic = "CRIVOENV";

  std::uint32_t version = kStoreVersion;
  ContentId content_id{};
  std::uint64_t records = 0;

  /// Bytes: "CRIVOENV"; u32 version; u32 zero; 16 bytes content id; u64 records.
  base::Bytes encode() const;
  /// Nothing if the bytes are no identity.
  static std::optional<Identity> decode(base::ByteView bytes) noexcept;
};

inline base::Bytes Identity::encode() const {
  base::FieldWriter fields;
  fields.bytes(base::as_bytes(kMagic)).u32(version).u32(0).bytes(content_id).u64(records);
  return fields.take();
}

inline std::optional<Identity> Identity::decode(base::ByteView bytes) noexcept {
  if (bytes.size() != kSize || base::as_text(bytes.first(kMagic.size())) != kMagic ||
      base::load_le<std::uint32_t>(bytes.data() + 12) != 0) {
    return std::nullopt;
  }
  Identity identity;
  identity.version = base::load_le<std::uint32_t>(bytes.data() + 8);
  std::ranges::copy(bytes.subspan(16, 16), identity.content_id.begin());
  identity.records = base::load_le<std::uint64_t>(bytes.data() + 32);
  return identity;
}

}  // namespace crivo::records
