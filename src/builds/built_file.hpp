// SPDX-License-Identifier: Apache-2.0
/// What a summary says of a file that was just built.
#pragma once

#include <filesystem>

#include "crivo/build.hpp"
#include "file/pending_file.hpp"

namespace crivo::index {

/// Opens the file, which is written and not published, as a lookup would, and adds what its
/// structure says: of a filter also the rate measured. `output` is what messages call it. Throws
/// Error(corrupt): what another process built may be unsound.
void describe_built(const file::PendingFile& file, const Output& output, BuildSummary& summary);

}  // namespace crivo::index
