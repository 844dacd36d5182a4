// SPDX-License-Identifier: Apache-2.0
/// The version of these headers, and that of the library.
///
/// Versions are MAJOR.MINOR.PATCH. What was written for one minor version compiles with every later
/// one of the same major version, in C and in C++.
///
/// A compiled program that calls crivo.h runs with every later minor version, too. One that calls
/// these headers runs with the patches of its own minor version: options and results are plain
/// structures, which get members, and lookups are compiled into the program. The loader tells, by
/// the versions of the symbols, and refuses another library (tools/doc/decisions/interfaces.md). A
/// test compares the shared library with a recorded one (tools/package/abi).
///
///     std::puts(crivo::version());
#pragma once

#include "crivo/detail/export.hpp"

#define CRIVO_VERSION_MAJOR 1
#define CRIVO_VERSION_MINOR 0
#define CRIVO_VERSION_PATCH 0

#if defined(__cplusplus) && __cplusplus < 202002L
#warning "Crivo's C++ headers want C++20; for other languages and standards there is crivo.h"
#endif

namespace crivo {

/// Returns the version of the library that the program runs with, "1.0.0".
CRIVO_API const char* version() noexcept;

}  // namespace crivo
