// SPDX-License-Identifier: Apache-2.0
/// The universe of an exact set or of a change of one, as an input has it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"
#include "input/grouped_keys.hpp"
#include "input/places.hpp"
#include "structures/exact/build/builder.hpp"
#include "structures/exact/build/delta_builder.hpp"
#include "structures/exact/build/gathered_keys.hpp"

namespace crivo::index {

/// The universe of an input, as the structure wants it.
class UniverseInput final : public exact::UniverseKeys {
 public:
  UniverseInput(const KeyInput& universe, const input::Grouping& grouping, hashing::SeededHash hash,
                base::Scratch* scratch, const input::HashLogPlace& log = {})
      : keys_(universe, grouping, std::move(hash), scratch, true, log) {}

  void for_each(const base::BuildContext& context, const Visit& visit) const override {
    keys_.for_each(context, visit);
  }

 private:
  mutable input::RepeatedInput keys_;
};

/// Members or keys of a universe, each with its group, in any order.
using GatheredKeys = exact::Gathered<stream::HashedValue>;

/// Returns the warnings about `missing` members that the universe lacks: none if there are none.
/// Throws it as Error(bad_input) if `strict`.
inline std::vector<Warning> warn_of_missing(const KeyInput& members, std::uint64_t missing,
                                            bool strict) {
  if (missing == 0) return {};
  const std::string name = input::input_name(members, 0);
  const std::string problem = name + ": " + std::to_string(missing) +
                              (missing == 1 ? " member is" : " members are") +
                              " not in the universe";
  if (strict) throw Error(ErrorKind::bad_input, problem, {.file = name});
  return {{problem, {}}};
}

}  // namespace crivo::index
