// SPDX-License-Identifier: Apache-2.0
/// libcrivo-read, the library of readers alone. It is compiled from the files that src/readers.txt
/// lists, with CRIVO_READ_ONLY defined: rows of registries then name no builders, so that the
/// linker leaves these out.
#pragma once

namespace crivo::base {

#if defined(CRIVO_READ_ONLY)
inline constexpr bool kReadOnly = true;
#else
inline constexpr bool kReadOnly = false;
#endif

/// Of a row: what only builds, edits and checks of key files call. Null in libcrivo-read.
template <typename Function>
constexpr Function* for_builds(Function* function) noexcept {
  return kReadOnly ? nullptr : function;
}

}  // namespace crivo::base
