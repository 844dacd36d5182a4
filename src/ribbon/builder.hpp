/// Builds a static function key -> value of any width from 1 to 64 bits by bumped ribbon retrieval.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "crivo/hash.hpp"
#include "file/sink.hpp"
#include "keys/sorted_hashes.hpp"
#include "util/progress.hpp"

namespace crivo::ribbon {

/// Sets values[i] to the value of hashes[i], the key with index `first` + i in the sorted set:
/// below 2^width. Called from several threads at once.
using ValueSource = std::function<void(std::span<const Hash128> hashes, std::uint64_t first,
                                       std::span<std::uint64_t> values)>;

/// Writes the section (formats/ribbon.md) to `sink`: 1.0025 `width` bits a key from 10^6 keys on,
/// about 1.03 `width` below 20,000. Its bytes depend on the keys and values alone, not on threads.
/// Reports to the phase of `context.progress` that the caller began. Throws Error(bad_input) if the
/// hashes are so unlike random ones that it fails. O(n); memory: about (9 + `width` / 8) n bytes,
/// less with few threads.
void build(const keys::SortedHashes& hashes, unsigned width, const ValueSource& values,
           const util::BuildContext& context, file::Sink& sink);

}  // namespace crivo::ribbon
