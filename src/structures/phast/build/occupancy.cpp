// SPDX-License-Identifier: Apache-2.0
#include "structures/phast/build/occupancy.hpp"

#include <algorithm>
#include <bit>

#include "base/bytes.hpp"

namespace crivo::phast {

Occupancy::Occupancy()
    : bits_(std::make_unique_for_overwrite<std::uint8_t[]>(std::size_t{kRows} * kRowBytes)) {
  static_assert(kBefore + kMaxValues + kAfter <= 8 * kRowBytes);
}

void Occupancy::reset(std::uint32_t values) {
  values_ = values;
  for (std::uint32_t r = 0; r < kRows; ++r) {
    std::uint8_t* const bits = bits_.get() + std::size_t{r} * kRowBytes;
    const std::uint32_t begin = kBefore - r;
    const std::uint32_t end = begin + values;
    std::fill(bits, bits + begin / 8, std::uint8_t{0xff});
    std::fill(bits + begin / 8, bits + end / 8, std::uint8_t{0});
    std::fill(bits + end / 8, bits + (end + kAfter) / 8, std::uint8_t{0xff});
    bits[end / 8] = static_cast<std::uint8_t>(0xff << (end % 8));
    bits[begin / 8] |= static_cast<std::uint8_t>((1 << (begin % 8)) - 1);
  }
}

void Occupancy::append_free(std::vector<std::uint32_t>& values) const {
  static_assert(kBefore % 64 == 0);
  for (std::uint32_t v = 0; v < values_; v += 64) {
    const auto word = base::load_le<std::uint64_t>(bits_.get() + (kBefore + v) / 8);
    for (std::uint64_t free = ~word; free != 0; free &= free - 1) {
      values.push_back(v + static_cast<std::uint32_t>(std::countr_zero(free)));
    }
  }
}

}  // namespace crivo::phast
