// SPDX-License-Identifier: Apache-2.0
/// What zstd allocates, owned; where it cannot, Error(io).
#pragma once

#include <cstddef>
#include <memory>

#include "crivo/error.hpp"
#include "records/zstd.hpp"

namespace crivo::records {

[[noreturn]] inline void out_of_memory() {
  throw Error(ErrorKind::io, "out of memory: zstd cannot get what it needs");
}

inline bool is_out_of_memory(std::size_t result) noexcept {
  return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation;
}

template <auto& kFree>
struct ZstdFree {
  template <typename T>
  void operator()(T* made) const noexcept {
    kFree(made);
  }
};
template <typename T, auto& kFree>
using ZstdOwned = std::unique_ptr<T, ZstdFree<kFree>>;

/// Takes what zstd made. Throws Error(io) where that is null.
template <auto& kFree, typename T>
ZstdOwned<T, kFree> owned(T* made) {
  if (made == nullptr) out_of_memory();
  return ZstdOwned<T, kFree>(made);
}

}  // namespace crivo::records
