// SPDX-License-Identifier: Apache-2.0
/// What this process has read and written.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace crivo::test {

/// The bytes that calls of the system have read and written so far.
inline std::uint64_t moved_bytes() {
  std::ifstream counters("/proc/self/io");
  std::uint64_t bytes = 0;
  std::string name;
  for (std::uint64_t count = 0; counters >> name >> count;) {
    if (name == "rchar:" || name == "wchar:") bytes += count;
  }
  return bytes;
}

}  // namespace crivo::test
