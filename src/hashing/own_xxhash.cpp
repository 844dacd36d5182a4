// SPDX-License-Identifier: Apache-2.0
/// xxHash inside libcrivo-read, which needs no other library: its functions have names of their own
/// there (XXH_NAMESPACE), and this file is what they are. In the full library it is empty.
#if defined(CRIVO_READ_ONLY)
#define XXH_STATIC_LINKING_ONLY
#define XXH_IMPLEMENTATION
#include <xxhash.h>
#endif
