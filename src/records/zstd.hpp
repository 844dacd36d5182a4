// SPDX-License-Identifier: Apache-2.0
/// The functions of zstd that readers call, loaded when a codec is opened.
#pragma once

#include <zdict.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/loaded_library.hpp"

namespace crivo::records {

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

}  // namespace crivo::records
