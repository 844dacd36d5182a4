// SPDX-License-Identifier: Apache-2.0
/// Some keys from all over an input, before it is read.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "crivo/build/keys.hpp"

namespace crivo::input {

/// About `count` keys, from short pieces at even distances of all files: none where a file is a
/// pipe or compressed, and can be read from its beginning only. Keys that are refused when they are
/// read are left out, and those too long for a piece. Throws Error(io).
/// Of pairs, their keys.
std::vector<std::string> sample_keys(const KeyInput& input, std::size_t count, bool pairs = false);

}  // namespace crivo::input
