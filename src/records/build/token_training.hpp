// SPDX-License-Identifier: Apache-2.0
/// Trains the dictionary of a codec of tokens.
#pragma once

#include "base/bytes.hpp"
#include "records/build/encoding.hpp"
#include "records/codec.hpp"

namespace crivo::records {

/// The dictionary (TokenList::encode) of at most 2^bits tokens that makes units like these short;
/// see CodecType::train. First pairs of tokens that stand side by side often become tokens, while
/// the sample is read once (OnPair); then the tokens and pairs that save most are kept, as far as
/// each saves more than it takes. About 0.05 s a megabyte.
base::Bytes train_tokens(const UnitSample& sample, double share, unsigned bits);

}  // namespace crivo::records
