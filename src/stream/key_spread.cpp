// SPDX-License-Identifier: Apache-2.0
#include "stream/key_spread.hpp"

#include <cmath>
#include <numbers>

#include "crivo/error.hpp"
#include "stream/key_stream.hpp"

namespace crivo::stream {

/// A cell of n random hashes has m = n / 2^cell_bits in the mean, and m + d or more with a
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

void fail_uneven(const std::string& name, bool can_be_keyed) {
  throw Error(ErrorKind::bad_input,
              name +
                  ": the keys' hashes lie closer together than by chance: the keys were chosen by "
                  "their hashes, or are a part of a set in the order of its hashes; " +
                  (can_be_keyed ? "hash them under a random seed"
                                : "this key hash has no other seed: choose another"),
              {.file = name, .remedy = can_be_keyed ? "keyed_hash" : ""});
}

}  // namespace crivo::stream
