// SPDX-License-Identifier: Apache-2.0
/// Memory that a container has, and nobody needs any more.
#pragma once

namespace crivo::base {

/// Empties a container and gives its memory back. (`container = {}` assigns an empty list to a
/// vector or a string, and keeps the memory.)
template <typename Container>
void free_memory(Container& container) noexcept {
  container = Container();
}

}  // namespace crivo::base
