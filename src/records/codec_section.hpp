// SPDX-License-Identifier: Apache-2.0
/// The index file's section about the codec of a store's records: section 65, of every backend.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "records/codec.hpp"

namespace crivo::records {

/// Bytes: u32 version; u32 codec; u64 XXH3-64 of all that follows; u64 the longest raw unit; u32
/// bytes of a block (0 of a codec by record); u32 zero; the dictionary.
struct CodecSection {
  CodecId codec = CodecId::none;
  std::uint64_t longest_raw = 0;
  std::uint32_t block_bytes = 0;
  base::Bytes dictionary;

  const CodecType& type() const noexcept { return codec_type(codec); }
  base::Bytes encode() const;
  /// Throws Error(corrupt), or Error(too_new) for a later version or an unknown codec.
  static CodecSection decode(base::ByteView bytes);
};

}  // namespace crivo::records
