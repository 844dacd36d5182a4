// SPDX-License-Identifier: Apache-2.0
/// The table of a kernel's searches, which is the same for every kernel but for what it points to.
#pragma once

#include <array>
#include <utility>

#include "structures/phast/build/kernel.hpp"

namespace crivo::phast {

/// `Kernel::kSearch<families, keys>` is its Search for buckets of so many keys.
template <typename Kernel, unsigned kFamilies, unsigned... kSizes>
constexpr Searches searches_of(std::integer_sequence<unsigned, kSizes...>) {
  return {nullptr, Kernel::template kSearch<kFamilies, kSizes + 1>...};
}

/// For seeds of kLeastBits to 15 bits. Null if there are none for this seed width.
template <typename Kernel, unsigned kLeastBits = 11>
const Searches* searches_of_width(unsigned seed_bits) noexcept {
  using Sizes = std::make_integer_sequence<unsigned, kMaxBucketKeys>;
  static constexpr auto kTable = []<unsigned... kMore>(std::integer_sequence<unsigned, kMore...>) {
    return std::array{searches_of<Kernel, 1U << (kLeastBits + kMore - kShiftBits)>(Sizes{})...};
  }
  (std::make_integer_sequence<unsigned, 16 - kLeastBits>{});
  return seed_bits - kLeastBits < kTable.size() ? &kTable[seed_bits - kLeastBits] : nullptr;
}

}  // namespace crivo::phast
