// SPDX-License-Identifier: Apache-2.0
#include "structures/build/build_cost.hpp"

#include "crivo/error.hpp"
#include "stream/key_spread.hpp"

namespace crivo {

void check_growth(std::uint64_t n, double bytes, double usual_bytes) {
  if (n <= stream::KeySpread::kAnyKeys || bytes <= usual_bytes * 5 / 4) return;
  throw Error(ErrorKind::bad_input,
              "the keys' hashes lie closer together than by chance, and would make the file far "
              "larger than of other keys; hash them under a random seed",
              {.remedy = "keyed_hash"});
}

}  // namespace crivo
