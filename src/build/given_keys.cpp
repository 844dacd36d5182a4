// SPDX-License-Identifier: Apache-2.0
#include "build/given_keys.hpp"

#include "crivo/error.hpp"
#include "crivo/suffixes.hpp"
#include "input/hash_keys.hpp"
#include "input/places.hpp"
#include "lookup/key_hash.hpp"

namespace crivo {

FilterHashing hashing_of(const file::Container& container) {
  return {index::hash_function(container.header()), recorded_prefixes(container.metadata())};
}

GivenKeys hash_for(const std::string& name, const FilterHashing& hashing, const KeyInput& input,
                   index::BuildFrame& frame) {
  input::HashOptions options = frame.hash_options();
  options.seed = {hashing.function.seed(), hashing.function.seed_high()};
  options.hash = hashing::hash_family(detail::HashAccess::id(hashing.function));
  options.prefixes = hashing.prefixes;
  options.parts = 0;  // a filter has the size that it has, and all hashes are in memory anyway
  GivenKeys given;
  input::hash_keys(input, options, frame.context(), [&](const input::KeySet& set) {
    if (set.seed != options.seed) {
      throw Error(ErrorKind::bad_input,
                  input::input_name(input, 0) +
                      ": two different keys have the same 128-bit hash under "
                      "the seed of " +
                      name + "; build it with another seed",
                  {.remedy = "keyed_hash"});
    }
    const auto all = set.keys.whole(frame.context()).hashes;
    given = {{all.begin(), all.end()}, set.collected - all.size(), set.warnings};
  });
  return given;
}

}  // namespace crivo
