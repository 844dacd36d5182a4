// SPDX-License-Identifier: Apache-2.0
/// Encoding units as tokens of a trained dictionary (records/tokens.hpp).
#pragma once

#include <memory>

#include "base/bytes.hpp"
#include "records/build/encoding.hpp"

namespace crivo::records {

/// Tokens of `bits` (12 or 16) bits: see CodecBuilder::open. Throws Error(corrupt) if the
/// dictionary is malformed.
std::unique_ptr<const Encoding> open_token_encoding(base::ByteView dictionary, unsigned bits);

}  // namespace crivo::records
