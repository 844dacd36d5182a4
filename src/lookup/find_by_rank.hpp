// SPDX-License-Identifier: Apache-2.0
/// Looking many keys of a store up at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "lookup/store_files.hpp"

namespace crivo::index {

/// Called from several threads at once with a key's index and what was found; the record is valid
/// during the call.
using VisitFound = std::function<void(std::size_t index, const records::Lookup& found)>;

/// Looks each key up and tells visit, once a key and in no order, on up to `threads` threads: first
/// the ranks of all, then the records in the order of their ranks, so that of the blocks of records
/// each is decompressed once. Memory: 24 bytes a key. Throws Error(io), and what `visit` throws.
void find_by_rank(const StoreFiles& files, std::span<const std::string_view> keys, unsigned threads,
                  const VisitFound& visit);

}  // namespace crivo::index
