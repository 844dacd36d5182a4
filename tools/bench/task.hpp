// SPDX-License-Identifier: Apache-2.0
/// What the structures of a run are and have to do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace crivo::bench {

enum class Kind {
  mphf,    ///< key -> its rank, below the number of keys
  filter,  ///< key -> "maybe" or absent
  map,     ///< key -> its value
};

/// Of options and JSON.
std::string name_of(Kind kind);

struct Task {
  Kind kind = Kind::mphf;
  double fpr = 0;                       ///< of a filter: the false-positive rate not to exceed
  unsigned value_bits = 0;              ///< of a map, 1 to 63
  std::vector<std::uint64_t> values{};  ///< of a map: of each key of the set, in its order
};

/// A value of `bits` bits for each of n keys: a fixed function of the key's index.
std::vector<std::uint64_t> make_values(std::uint64_t n, unsigned bits);

}  // namespace crivo::bench
