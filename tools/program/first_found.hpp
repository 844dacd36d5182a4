// SPDX-License-Identifier: Apache-2.0
/// --limit: the first things that a walk finds, and no more of it.
#pragma once

#include <cstdint>

namespace crivo::cli {

/// Calls walk(visit), where visit() is write() for the first `limit` things found. Behind the last
/// of them the walk ends, by an exception that visit() throws and this catches.
template <typename Write, typename Walk>
void first_found(std::uint64_t limit, const Write& write, const Walk& walk) {
  struct Enough {};
  try {
    walk([&](const auto&... found) {
      if (limit == 0) throw Enough();
      write(found...);
      if (--limit == 0) throw Enough();
    });
  } catch (const Enough&) {
  }
}

}  // namespace crivo::cli
