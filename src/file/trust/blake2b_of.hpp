// SPDX-License-Identifier: Apache-2.0
/// The hash of a file that minisign signs.
#pragma once

#include <algorithm>

#include "base/bytes.hpp"
#include "crivo/progress.hpp"
#include "hashing/blake2b.hpp"

namespace crivo::trust {

/// The BLAKE2b-512 of all bytes. Begins a phase of `progress`, which may cancel it.
/// O(bytes.size()).
inline hashing::Blake2b::Value blake2b_of(base::ByteView bytes, Progress& progress) {
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
