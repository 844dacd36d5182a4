// SPDX-License-Identifier: Apache-2.0
/// What memory the build of an exact set takes.
#pragma once

#include <cstdint>

#include "build/memory_need.hpp"

namespace crivo::index {

/// Of so many members, and of keys that are gathered: those, and others that pass their filters.
struct ExactMemory {
  std::uint64_t members = 0;
  std::uint64_t gathered = 0;

  std::uint64_t peak(unsigned threads, const MemoryBudget& budget) const noexcept;
  std::uint64_t spilled(const MemoryBudget& budget) const noexcept;
};

}  // namespace crivo::index
