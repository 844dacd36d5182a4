// SPDX-License-Identifier: Apache-2.0
/// Facts that can be told of an input before it is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "input/chunk_reader.hpp"

namespace crivo::input {

struct InputSample {
  /// The bytes of the files; nothing if any is a pipe.
  std::optional<std::uint64_t> bytes;
  /// Units (keys, or pairs), from the lengths of some all over the files; nothing if any file is a
  /// pipe or compressed.
  std::optional<std::uint64_t> units;
};

/// Looks at up to 32 pieces of 16 KiB of each regular file, or of units longer than those at up to
/// 64 MiB from its beginning, and at nothing of a pipe. Throws Error(io).
InputSample sample_input(const Sources& sources, const UnitFraming& framing);

}  // namespace crivo::input
