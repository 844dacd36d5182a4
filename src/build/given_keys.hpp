// SPDX-License-Identifier: Apache-2.0
/// Keys by which a filter file is to be changed; and the name, for messages, of a key of which only
/// the hash is at hand.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "build/build_frame.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/detail/hash128.hpp"
#include "crivo/error.hpp"
#include "crivo/key.hpp"
#include "file/container.hpp"
#include "input/places.hpp"

namespace crivo::index {

struct FoundKey {
  std::string text;   ///< quoted
  std::string place;  ///< input::place_name()
};

/// The first key of the input (with `pairs`, of its pairs) that has one of `hashes`, which are
/// those of a file with `header`; nothing if the input is a pipe, which can be read only once.
std::optional<FoundKey> find_key(const KeyInput& input, const file::Header& header,
                                 std::span<const detail::Hash128> hashes, bool pairs = false);

}  // namespace crivo::index

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
