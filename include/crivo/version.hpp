// SPDX-License-Identifier: Apache-2.0
/// The version of these headers, and that of the library.
///
/// Versions are MAJOR.MINOR.PATCH. A program that was compiled with one minor version runs, not
/// compiled again, with every later one of the same major version: what these headers compile into
/// it (the first steps of lookups) reads nothing but members of the classes of crivo/mphf.hpp,
/// filter.hpp, map.hpp and hash.hpp, whose layout is fixed for a major version, and takes the quick
/// way only where the library that opened the file says so. A test compares the shared library with
/// a recorded one (tests/abi).
#pragma once

#include "crivo/export.hpp"

#define CRIVO_VERSION_MAJOR 1
#define CRIVO_VERSION_MINOR 0
#define CRIVO_VERSION_PATCH 0

#if defined(__cplusplus) && __cplusplus < 202002L
#warning "Crivo's C++ headers want C++20; for other languages and standards there is crivo.h"
#endif

namespace crivo {

/// The version of the library that the program runs with, "1.0.0".
CRIVO_API const char* version() noexcept;

}  // namespace crivo
