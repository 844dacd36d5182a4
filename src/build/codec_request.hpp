// SPDX-License-Identifier: Apache-2.0
/// The codec that a store's options ask for.
#pragma once

#include "crivo/build/build.hpp"
#include "records/build/encoding.hpp"
#include "records/codec.hpp"

namespace crivo::index {

/// Throws Error(usage) for a codec that there is not, or a block out of bounds.
records::CodecRequest codec_request(const StoreOptions& store);

}  // namespace crivo::index
