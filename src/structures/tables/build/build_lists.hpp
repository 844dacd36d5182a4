// SPDX-License-Identifier: Apache-2.0
/// Builds the section that tables::RowLists reads.
#pragma once

#include <cstdint>
#include <memory>

#include "base/progress.hpp"
#include "stream/hash_source.hpp"
#include "structures/build/assembly.hpp"

namespace crivo::tables {

/// So many keys, and places in which one stands.
struct ListTotals {
  std::uint64_t keys = 0;
  std::uint64_t places = 0;
};

/// The totals of `keys`, in which a hash stands once for each place of its key. Goes over all.
ListTotals count_lists(const stream::HashSource& keys, const base::BuildContext& context);

/// Plans the lists of keys whose values are the numbers of their rows, below `rows`. Throws
/// Error(usage) unless signatures have 8, 16 or 32 bits.
std::unique_ptr<Assembly> plan_lists(const ListTotals& totals, std::uint64_t rows,
                                     unsigned signature_bits);

/// The bits of lists of so many keys and places, about.
double bits_of_lists(const ListTotals& totals, std::uint64_t rows, unsigned signature_bits);

}  // namespace crivo::tables
