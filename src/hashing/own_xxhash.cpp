// SPDX-License-Identifier: Apache-2.0
/// xxHash inside Crivo, whose readers need no other library: its functions have names of their own
/// here (XXH_NAMESPACE), and this file is what they are.
#define XXH_STATIC_LINKING_ONLY
#define XXH_IMPLEMENTATION
#include <xxhash.h>
