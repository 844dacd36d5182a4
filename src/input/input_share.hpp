// SPDX-License-Identifier: Apache-2.0
/// The share of an input that one of several tasks reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "input/input_parts.hpp"

namespace crivo::input {

/// Part `index` of `count` of an input of regular files, by its bytes; nothing where none are in
/// it. The parts of an input have each of its units once, and in its order, as long as the files do
/// not change. Plain files are cut at any unit. Where there are fewer files than parts, those of
/// several gzip members or zstd frames are cut where these begin, and for others that are in more
/// than one part throws Error(usage) that says why. Otherwise those are in the part whole that they
/// begin in. Throws Error(io).
std::optional<InputPart> share_of_input(const std::vector<std::string>& paths,
                                        const UnitFraming& framing, std::uint64_t index,
                                        std::uint64_t count);

}  // namespace crivo::input
