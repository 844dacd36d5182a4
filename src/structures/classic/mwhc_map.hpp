// SPDX-License-Identifier: Apache-2.0
/// MWHC as a static function: its vertices have values of any width in place of ranks
/// (formats/seeds.md, type 50).
#pragma once

#include <memory>

#include "base/bytes.hpp"
#include "structures/static_function.hpp"

namespace crivo::classic {

/// Checks the section in O(1); throws Error(corrupt).
std::unique_ptr<const map::StaticFunction> open_mwhc_map(base::ByteView section);

}  // namespace crivo::classic
