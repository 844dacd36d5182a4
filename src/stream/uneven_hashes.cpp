// SPDX-License-Identifier: Apache-2.0
#include "stream/uneven_hashes.hpp"

#include "crivo/error.hpp"

namespace crivo::stream {

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
