// SPDX-License-Identifier: Apache-2.0
/// The keys of files once more, for messages that name some.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hashing/hash_family.hpp"
#include "input/chunk_reader.hpp"
#include "input/duplicates.hpp"
#include "input/places.hpp"
#include "input/units.hpp"

namespace crivo::input {

/// Reads the files once more, in order, on one thread.
inline bool replay_files(const Sources& sources, const UnitFraming& framing, const ParseKeys& parse,
                         const hashing::SeededHash& hash, const KeyVisitor& visit) {
  ChunkReader reader(sources, framing, {.in_order = true});
  Chunk chunk;
  bool go_on = true;
  while (go_on && reader.next(chunk)) {
    parse(chunk, [&](std::string_view key, std::uint64_t i, std::size_t offset) {
      if (go_on) go_on = visit(hash(key).lo, place_in(chunk, i, offset), &key);
    });
  }
  return true;
}

}  // namespace crivo::input
