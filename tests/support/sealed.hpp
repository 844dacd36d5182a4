// SPDX-License-Identifier: Apache-2.0
/// Containers whose header, table or footer a test or fuzzer has changed.
#pragma once

#include <xxhash.h>

#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "file/layout.hpp"

namespace crivo::test {

/// Where the header has the file's length and the table's offset.
inline constexpr std::size_t kLengthAt = 32;
inline constexpr std::size_t kTableAt = 40;

/// Makes the checksums of header and footer those of the changed bytes. Not of a file whose table
/// is not within it.
inline void seal(std::span<std::byte> bytes) {
  using namespace file::layout;
  if (bytes.size() < kHeaderBytes + kFooterBytes) return;
  const auto table = base::load_le<std::uint64_t>(bytes.data() + kTableAt);
  if (table < kHeaderBytes || table > bytes.size() - kFooterBytes) return;
  const base::Bytes checked = checked_bytes(bytes, table);
  const std::uint64_t checksum = XXH3_64bits(checked.data(), checked.size());
  base::store_le(bytes.data() + kHeaderChecksumAt, checksum);
  base::store_le(bytes.data() + (bytes.size() - kFooterTailBytes + 8), checksum);
}

}  // namespace crivo::test
