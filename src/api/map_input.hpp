/// What building and verifying a map share.
#pragma once

#include "crivo/build.hpp"
#include "keys/hash_keys.hpp"

namespace crivo::api {

/// Has `use` work on the keys of a map's input with their values. Throws Error(bad_input) for a
/// value that has more bits than the options allow.
void hash_map_input(const KeyInput& input, const MapOptions& map, const keys::HashOptions& options,
                    const util::BuildContext& context, const keys::UseKeys& use);

}  // namespace crivo::api
