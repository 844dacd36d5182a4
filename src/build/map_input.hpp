// SPDX-License-Identifier: Apache-2.0
/// The input of a map, as building and verifying it share it.
#pragma once

#include "crivo/build/build.hpp"
#include "input/hash_keys.hpp"

namespace crivo::index {

/// Has `use` work on the keys of a map's input with their values. Throws Error(bad_input) for a
/// value that has more bits than the options allow.
void hash_map_input(const KeyInput& input, const MapOptions& map, const input::HashOptions& options,
                    const base::BuildContext& context, const input::UseKeys& use);

}  // namespace crivo::index
