// SPDX-License-Identifier: Apache-2.0
/// Names the keys that occur more than once, and tells them from keys that only share a hash.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "hashing/hash128.hpp"
#include "input/chunk_reader.hpp"
#include "input/places.hpp"

namespace crivo::input {

/// Visits the keys of an input in order, from wherever they can be had again: Hash128::lo, the
/// place, and the text where it is known; stops when the visitor returns false. Returns false if
/// the input cannot be had again at all.
using KeyVisitor =
    std::function<bool(std::uint64_t hash, const Place& place, const std::string_view* text)>;
using KeyReplay = std::function<bool(const KeyVisitor&)>;

/// The first few repeats of hashes, in the order of the input.
struct Repeats {
  bool all_collide = false;  ///< each is of two keys that differ
  ErrorPlace place;          ///< of the first
  std::string message;       ///< one line for Error(bad_input) that begins with a place_name()
};

/// Looks at the first few repeats of the hashes in `repeated` (ascending, not empty; all that
/// repeat, or as many as were listed). `surplus`
/// keys are more than the distinct hashes. Reads the input up to twice. `known` is the text of one
/// of them, if any is, for an input that cannot be had again.
Repeats look_at_repeats(std::span<const Hash128> repeated, std::uint64_t surplus,
                        const Sources& sources, const UnitFraming& framing, const KeyReplay& replay,
                        std::string_view known = {});

}  // namespace crivo::input
