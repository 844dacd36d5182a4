// SPDX-License-Identifier: Apache-2.0
#include "file/trust/blake2b_of.hpp"

#include <algorithm>

namespace crivo::trust {

hashing::Blake2b::Value blake2b_of(base::ByteView bytes, Progress& progress) {
  constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
  progress.begin("signature", bytes.size(), Progress::Unit::bytes);
  hashing::Blake2b hash;
  while (!bytes.empty()) {
    const base::ByteView piece = bytes.first(std::min(bytes.size(), kPieceBytes));
    hash.add(piece);
    progress.add(piece.size());
    bytes = bytes.subspan(piece.size());
  }
  return hash.finish();
}

}  // namespace crivo::trust
