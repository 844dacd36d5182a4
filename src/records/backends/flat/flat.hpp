// SPDX-License-Identifier: Apache-2.0
/// The flat backend: units one after the other in a mapped file, in the container of every Crivo
/// file, and slots in the index that say where each is. A key that is not in the set is refused by
/// its slot's fingerprint (but 1 in 2^16), before any record is touched; of one that is, the slot
/// tells the place and the length, so that all its lines are asked for at once. Raw records are
/// answered as they stand in the file. Of an ordered store the units have no keys: the dictionary
/// that gives the ranks has them, and a unit's check is with its key's hash. See formats/flat.md.
#pragma once

#include <filesystem>
#include <memory>

#include "records/backend.hpp"

namespace crivo::records {

std::unique_ptr<const RecordFile> open_flat(base::FileDescriptor data, std::filesystem::path path,
                                            const file::Container& index, const KeysInOrder& keys,
                                            file::Loading loading);
std::unique_ptr<const RecordFile> open_flat_container(file::Container data,
                                                      const file::Container& index,
                                                      const KeysInOrder& keys);

}  // namespace crivo::records
