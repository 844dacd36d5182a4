// SPDX-License-Identifier: Apache-2.0
/// The codec of zstd: blocks of records as zstd frames, with a dictionary trained on the store's
/// own records; and the library, loaded when a store asks for it.
#pragma once

#include <zdict.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.hpp"
#include "base/loaded_library.hpp"
#include "crivo/error.hpp"
#include "records/codec.hpp"

namespace crivo::records {

/// The longest dictionary that is trained.
inline constexpr std::size_t kMaxDictionary = std::size_t{64} << 10;

/// See CodecType::open; `dictionary` may be empty.
std::unique_ptr<const Codec> open_zstd(base::ByteView dictionary);

inline constinit base::LoadedLibrary libzstd("libzstd", "libzstd.so.1");

CRIVO_LOADED(libzstd, ZDICT_getDictHeaderSize);
CRIVO_LOADED(libzstd, ZDICT_isError);
CRIVO_LOADED(libzstd, ZSTD_createDCtx);
CRIVO_LOADED(libzstd, ZSTD_createDDict);
CRIVO_LOADED(libzstd, ZSTD_decompress_usingDDict);
CRIVO_LOADED(libzstd, ZSTD_freeDCtx);
CRIVO_LOADED(libzstd, ZSTD_freeDDict);
CRIVO_LOADED(libzstd, ZSTD_getErrorCode);
CRIVO_LOADED(libzstd, ZSTD_isError);

/// Before a codec is opened: throws Error(io) where zstd is to be loaded and cannot be.
inline void require_zstd() {
  libzstd.require("the codec zstd");
}

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
