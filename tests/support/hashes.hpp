/// Random hashes for tests of structures that need no key text.
#pragma once

#include <cstdint>
#include <vector>

#include "crivo/hash.hpp"
#include "util/bits.hpp"

namespace crivo::test {

/// `count` distinct pseudo-random hashes; a different `salt` gives a set with none in common.
inline std::vector<Hash128> random_hashes(std::uint64_t count, std::uint64_t salt = 0) {
  std::vector<Hash128> hashes(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    hashes[i] = {util::mix64((salt << 40) + 2 * i + 1), util::mix64((salt << 40) + 2 * i + 2)};
  }
  return hashes;
}

}  // namespace crivo::test
