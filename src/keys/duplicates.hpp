/// Names the keys that occur more than once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "crivo/hash.hpp"
#include "keys/chunk_reader.hpp"

namespace crivo::keys {

/// Visits the keys of an input in order, from wherever they can be had again: Hash128::lo, the place,
/// and the text where it is known; stops when the visitor returns false. Returns false if the input
/// cannot be had again at all.
using KeyVisitor =
    std::function<bool(std::uint64_t hash, const Place& place, const std::string_view* text)>;
using KeyReplay = std::function<bool(const KeyVisitor&)>;

/// Describes the first few repeats, in the order of the input, of the hashes in `repeated` (ascending,
/// not empty): one line for Error(bad_input) that begins with "FILE:LINE: ". `surplus` keys are more
/// than the distinct ones. Reads the input up to twice.
std::string describe_duplicates(std::span<const Hash128> repeated, std::uint64_t surplus,
                                const std::vector<std::string>& paths, const KeyReplay& replay);

}  // namespace crivo::keys
