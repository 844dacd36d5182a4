// SPDX-License-Identifier: Apache-2.0
/// The name of what is built.
#pragma once

#include "file/container.hpp"
#include "stream/key_sums.hpp"

namespace crivo::index {

/// The build id (formats/crivo-1.md) of a file with this header, whose keys have those sums. The
/// metadata are the choices that it records: all else that decides about its bytes.
file::ContentId build_id(const file::Header& header, const stream::KeySums& sums,
                         const file::Metadata& metadata);

}  // namespace crivo::index
