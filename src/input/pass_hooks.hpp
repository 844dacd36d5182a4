// SPDX-License-Identifier: Apache-2.0
/// What a caller of HashPasses adds to it.
#pragma once

#include <functional>

#include "input/chunk_numbers.hpp"
#include "input/record_taker.hpp"
#include "stream/streamed_keys.hpp"

namespace crivo::input {

/// What a caller does around each pass over the input.
struct PassHooks {
  std::function<void()> begin{};
  std::function<void()> end{};      ///< all units were taken, and none is sorted yet
  stream::NumberValues number{};    ///< of StreamedKeys
  ChunkNumbers* numbers = nullptr;  ///< that are noted, if any
  RecordTaker* records = nullptr;   ///< that they are handed to, if there are any
};

}  // namespace crivo::input
