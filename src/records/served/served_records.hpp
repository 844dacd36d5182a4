// SPDX-License-Identifier: Apache-2.0
/// The records of a store whose parts are served unmerged (formats/manifest.md): units and slots of
/// each part, as a flat store has them, whatever backend the parts were built for; and those of
/// bumped keys, which are in the parts' notes.
#pragma once

#include <memory>

#include "file/container.hpp"
#include "records/backend.hpp"

namespace crivo::records {

/// The backend of such stores, which is in no registry: sealed.
const Backend& served_backend() noexcept;

/// Opens the records of a manifest with its parts, which outlives what is returned. Throws
/// Error(corrupt).
std::unique_ptr<const RecordFile> open_served(const file::Container& manifest);

}  // namespace crivo::records
