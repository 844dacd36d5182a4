// SPDX-License-Identifier: Apache-2.0
/// The lines or paragraphs of texts, in order.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/progress.hpp"

namespace crivo::input {

enum class TextUnit {
  line,       ///< without its line feed; the last of a file may lack that
  paragraph,  ///< lines without an empty one, or one that is a CR, between them
};

/// Gets some units, valid until it returns.
using VisitUnits = std::function<void(std::span<const std::string_view> units)>;

/// Calls visit(units) for all units of the files `paths` in order, on this thread; "-" is standard
/// input, and compressed files are decompressed. A unit is of one file. Counts the bytes read in
/// `progress`. Throws Error(bad_input), with file and line, for a unit of more than `max_bytes`,
/// and Error(io); what comes before was visited.
void for_each_unit(const std::vector<std::string>& paths, TextUnit unit, std::uint64_t max_bytes,
                   Progress& progress, const VisitUnits& visit);

}  // namespace crivo::input
