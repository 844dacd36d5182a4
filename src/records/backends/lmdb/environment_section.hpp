// SPDX-License-Identifier: Apache-2.0
/// The index file's section about the LMDB environment: what data.mdb must look like.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "records/identity.hpp"

namespace crivo::records {

/// The fields of the environment section, in the order of its bytes; see formats/store.md.
struct EnvironmentSection {
  std::uint32_t version = kStoreVersion;
  std::uint32_t page_size = 0;  ///< of LMDB: a power of two from 512 to 32768
  std::uint64_t file_size = 0;  ///< of data.mdb
  std::uint64_t records = 0;
  std::uint64_t groups = 0;
  std::uint64_t units = 0;
  std::uint64_t max_group = 0;  ///< the longest group
  std::uint64_t key_seed = 0;   ///< that the key hashes were made with
  ContentId content_id{};
  std::uint64_t structure_hash = 0;  ///< of LMDB's own pages: TreeScan::structure_hash
  std::uint64_t file_hash = 0;       ///< XXH3-64 of all of data.mdb

  base::Bytes encode() const;
  /// Throws Error(corrupt), or Error(too_new) for a later version.
  static EnvironmentSection decode(base::ByteView bytes);
};

}  // namespace crivo::records
