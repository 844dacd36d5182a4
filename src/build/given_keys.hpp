// SPDX-License-Identifier: Apache-2.0
/// Keys by which a filter file is to be changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "build/build_frame.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/detail/hash128.hpp"
#include "crivo/error.hpp"
#include "crivo/key.hpp"
#include "file/container.hpp"

namespace crivo {

/// The hash function by which a filter's keys are hashed, with its options.
struct FilterHashing {
  HashFunction function;
  std::optional<char> prefixes;  ///< FilterOptions::prefixes

  bool operator==(const FilterHashing&) const = default;
};

FilterHashing hashing_of(const file::Container& container);

/// Keys that were given, and their prefixes where the filter has them: distinct, and in ascending
/// order.
struct GivenKeys {
  std::vector<detail::Hash128> hashes;
  std::uint64_t duplicates = 0;
  std::vector<Warning> warnings;
};

/// The keys hashed so and not otherwise: they are for the filter called `name`. Throws
/// Error(bad_input), also where two of them have one hash, and Error(io).
GivenKeys hash_for(const std::string& name, const FilterHashing& hashing, const KeyInput& input,
                   index::BuildFrame& frame);

}  // namespace crivo
