// SPDX-License-Identifier: Apache-2.0
/// BuildOptions::notes, in a file's metadata.
#pragma once

#include "crivo/build/build.hpp"
#include "file/container.hpp"
#include "file/metadata.hpp"

namespace crivo::index {

/// Seed, key hash and notes are those of the file. Equal keys are taken once, and a set may be
/// empty.
BuildOptions recorded_options(const file::Container& container, const Resources& resources);

/// Throws Error(usage) for names that no note can have, for what is not UTF-8, and for more than a
/// file has room for.
void check_notes(const BuildOptions& options);
/// Throws Error(usage) if there are any, of what is no whole index file.
void refuse_notes(const BuildOptions& options);
/// The metadata of a file with these choices. They are not in its build id.
file::Metadata with_notes(file::Metadata choices, const BuildOptions& options);

}  // namespace crivo::index
