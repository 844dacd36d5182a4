// SPDX-License-Identifier: Apache-2.0
/// The codec of zstd: blocks of records as zstd frames, with a dictionary trained on the store's
/// own records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.hpp"
#include "records/codec.hpp"

namespace crivo::records {

/// The longest dictionary that is trained.
inline constexpr std::size_t kMaxDictionary = std::size_t{64} << 10;

/// See CodecType::open; `dictionary` may be empty.
std::unique_ptr<const Codec> open_zstd(base::ByteView dictionary);

}  // namespace crivo::records
