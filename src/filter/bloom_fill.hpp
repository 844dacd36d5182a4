/// Filling the cells of a Bloom filter.
#pragma once

#include "filter/bloom_cells.hpp"
#include "stream/key_source.hpp"
#include "util/progress.hpp"

namespace crivo::filter {

/// The cells of `bits` bits after every hash has incremented all its probes. Probes are gathered by
/// the block of cells that they fall in and carried out block by block, so that large filters do
/// not cost a cache miss each: some 16 MiB a thread. Increments commute, so the cells do not depend
/// on the threads. O(n hashes).
CellArray fill_cells(const stream::KeySource& hashes, std::uint64_t cells, unsigned bits,
                     unsigned probes, const util::BuildContext& context);

}  // namespace crivo::filter
