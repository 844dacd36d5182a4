// SPDX-License-Identifier: Apache-2.0
/// The libraries that made some of a store's bytes: other versions of them may make others of the
/// same records.
#pragma once

#include "file/metadata.hpp"
#include "records/backend.hpp"

namespace crivo::index {

/// Their versions, those that this program runs with, for the metadata of a store with that backend
/// and codec.
file::Metadata libraries_of(const records::Backend& backend, const records::CodecSection& codec);

}  // namespace crivo::index
