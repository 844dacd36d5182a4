// SPDX-License-Identifier: Apache-2.0
/// Updating the records of a store from files.
#pragma once

#include <cstdint>
#include <filesystem>

#include "crivo/export.hpp"
#include "crivo/keys.hpp"
#include "crivo/progress.hpp"

namespace crivo {

/// What an update did.
struct StoreEdit {
  std::uint64_t given = 0;    ///< records or keys of the input
  std::uint64_t absent = 0;   ///< of the keys to remove, those that had no record
  std::uint64_t records = 0;  ///< that the store has now
};

/// Gives each key of `input` (key-and-record pairs) its record, of a key that comes more than once
/// the last: all or none, at once, by one Store::Writer. Throws Error(bad_input), which names file
/// and line, where a key is not one of the store; else as Store::Writer does. Memory: as the
/// records have, up to some 600 MB.
CRIVO_API StoreEdit set_records(const std::filesystem::path& store, const KeyInput& input,
                                Progress* progress = nullptr);
/// Removes the records of the keys of `input`, likewise.
CRIVO_API StoreEdit remove_records(const std::filesystem::path& store, const KeyInput& input,
                                   Progress* progress = nullptr);

}  // namespace crivo
