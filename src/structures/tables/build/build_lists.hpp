// SPDX-License-Identifier: Apache-2.0
/// Builds the section that tables::RowLists reads.
#pragma once

#include <cstdint>
#include <memory>

#include "structures/build/assembly.hpp"

namespace crivo::tables {

/// So many keys, and places that they stand in: in the set of all, a hash is there once for each of
/// its key's.
struct ListTotals {
  std::uint64_t keys = 0;
  std::uint64_t places = 0;
};

/// The bits of the numbers of so many rows.
unsigned number_bits(std::uint64_t rows) noexcept;

/// Plans the lists of keys whose values are the numbers of their rows, of `width` bits. Throws
/// Error(usage) unless signatures have 8, 16 or 32 bits.
std::unique_ptr<Assembly> plan_lists(const ListTotals& totals, unsigned width,
                                     unsigned signature_bits);

/// The bits of lists of so many keys and places, about.
double bits_of_lists(const ListTotals& totals, std::uint64_t rows, unsigned signature_bits);

}  // namespace crivo::tables
