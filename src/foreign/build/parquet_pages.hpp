// SPDX-License-Identifier: Apache-2.0
/// The values of a column in a row group of a Parquet file: those of its dictionary, and those of
/// its plain pages.
#pragma once

#include <functional>
#include <string_view>

#include "foreign/parquet_file.hpp"

namespace crivo::foreign::parquet {

/// Calls visit(value) for each value of the chunk, some more than once, and perhaps for others: a
/// dictionary's that no row has. A value is the bytes of its plain encoding, without a length.
/// Throws Error(corrupt), Error(usage) for encodings and codecs that are not read, and what `visit`
/// throws. Memory: a page.
void for_each_value(const File& file, const Column& column, const Chunk& chunk,
                    const std::function<void(std::string_view value)>& visit);

}  // namespace crivo::foreign::parquet
