// SPDX-License-Identifier: Apache-2.0
/// What the shared library shows of itself.
#pragma once

/// Of what belongs to the interface; everything else of the library is hidden (-fvisibility).
#define CRIVO_API __attribute__((visibility("default")))
/// Of a part of something shown that is not shown itself.
#define CRIVO_LOCAL __attribute__((visibility("hidden")))
