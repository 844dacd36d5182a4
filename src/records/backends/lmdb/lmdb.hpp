// SPDX-License-Identifier: Apache-2.0
/// The LMDB backend: units in groups that fill pages, the values of an LMDB environment by rank.
/// See formats/store.md.
#pragma once

#include <filesystem>
#include <memory>

#include "records/backend.hpp"

namespace crivo::records {

std::unique_ptr<const RecordFile> open_lmdb(base::FileDescriptor data, std::filesystem::path path,
                                            const file::Container& index, const KeysInOrder& keys,
                                            file::Loading loading);

}  // namespace crivo::records
