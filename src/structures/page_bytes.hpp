// SPDX-License-Identifier: Apache-2.0
/// The pages of sections that lie in several files.
#pragma once

#include <cstdint>

namespace crivo {

/// The pages of sections that are mapped out of several files: a body's place in its file and in
/// the section must be the same, modulo this.
inline constexpr std::uint64_t kPageBytes = 4096;

}  // namespace crivo
