// SPDX-License-Identifier: Apache-2.0
/// Marks what the shared library shows. Every header includes this one, so a compiler that is
/// not set to C++20 says so first.
#pragma once

#if __cplusplus < 202002L
#error "Crivo's headers need C++20: compile with -std=c++20 or later"
#endif

/// Marks what belongs to the interface; everything else of the library is hidden (-fvisibility).
#define CRIVO_API __attribute__((visibility("default")))
/// Marks a part of something shown that is not shown itself.
#define CRIVO_LOCAL __attribute__((visibility("hidden")))
