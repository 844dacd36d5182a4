// SPDX-License-Identifier: Apache-2.0
/// The functions of zstd: its headers, or in libcrivo-read what loads the library.
#pragma once

#include <zdict.h>
#include <zstd.h>
#include <zstd_errors.h>

#if defined(CRIVO_READ_ONLY)
#include "base/loaded_library.hpp"
#endif

namespace crivo::records {

#if defined(CRIVO_READ_ONLY)

inline constinit base::LoadedLibrary libzstd("libzstd", "libzstd.so.1");

CRIVO_LOADED(libzstd, ZDICT_getDictHeaderSize);
CRIVO_LOADED(libzstd, ZDICT_isError);
CRIVO_LOADED(libzstd, ZSTD_createDCtx);
CRIVO_LOADED(libzstd, ZSTD_createDDict);
CRIVO_LOADED(libzstd, ZSTD_decompress_usingDDict);
CRIVO_LOADED(libzstd, ZSTD_freeCDict);
CRIVO_LOADED(libzstd, ZSTD_freeDCtx);
CRIVO_LOADED(libzstd, ZSTD_freeDDict);
CRIVO_LOADED(libzstd, ZSTD_getErrorCode);
CRIVO_LOADED(libzstd, ZSTD_isError);

#endif

/// Before a codec is opened: throws Error(io) where zstd is to be loaded and cannot be.
inline void require_zstd() {
#if defined(CRIVO_READ_ONLY)
  libzstd.require("the codec zstd");
#endif
}

}  // namespace crivo::records
