// SPDX-License-Identifier: Apache-2.0
#include "crivo/version.hpp"

#define CRIVO_TEXT_OF(x) #x
#define CRIVO_TEXT(x) CRIVO_TEXT_OF(x)

namespace crivo {

const char* version() noexcept {
  return CRIVO_TEXT(CRIVO_VERSION_MAJOR) "." CRIVO_TEXT(CRIVO_VERSION_MINOR) "." CRIVO_TEXT(
      CRIVO_VERSION_PATCH);
}

}  // namespace crivo
