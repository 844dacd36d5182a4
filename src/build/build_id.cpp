// SPDX-License-Identifier: Apache-2.0
#include "build/build_id.hpp"

namespace crivo::index {

file::ContentId build_id(const file::Header& header, const stream::KeySums& sums,
                         const file::Metadata& metadata) {
  base::FieldWriter w;
  w.u32(static_cast<std::uint32_t>(header.kind));
  w.u32(static_cast<std::uint32_t>(header.key_hash));
  w.u64(header.keys).u64(header.seed).u64(sums.hi).u64(sums.lo).u64(sums.values);
  w.bytes(file::encode(metadata));
  return file::content_hash(w.view());
}

}  // namespace crivo::index
