// SPDX-License-Identifier: Apache-2.0
/// Random bits of the operating system, which nobody can foresee.
#pragma once

#include <cstdint>

namespace crivo::base {

/// 64 of them (getrandom(2)). Throws Error(io) if there are none.
std::uint64_t system_random();

}  // namespace crivo::base
