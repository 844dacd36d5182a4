// SPDX-License-Identifier: Apache-2.0
#include "stream/key_spread.hpp"

#include <cmath>
#include <numbers>

#include "stream/key_stream.hpp"

namespace crivo::stream {

/// Of n random hashes a cell has m = n / 2^cell_bits in the mean, and m + d or more with a
/// probability below exp(-d^2 / (2 m + 2 d / 3)) (Chernoff). That is 2^-64 / 2^cell_bits for the d
/// below.
KeySpread KeySpread::of(std::uint64_t n, std::uint64_t alike) noexcept {
  if (n <= kAnyKeys) return {};
  const unsigned bits = partition_bits_for(n);
  const auto unit = static_cast<double>(alike);
  const double mean = std::ldexp(static_cast<double>(n), -static_cast<int>(bits)) / unit;
  const double third = (64 + bits) * std::numbers::ln2 / 3;
  const double beyond = third + std::sqrt(third * (third + 6 * mean));
  return {bits, static_cast<std::uint64_t>(unit * (mean + beyond)) + 1};
}

}  // namespace crivo::stream
