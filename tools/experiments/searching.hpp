/// Searching all keys of a set through a perfect hash function or a static function.
#pragma once

#include <filesystem>
#include <string_view>

#include "experiments/named_hashes.hpp"
#include "experiments/results.hpp"

namespace crivo::experiments {

/// Opens an MPHF's file, makes the table of n pointers that it indexes, and searches each key of
/// the set once, in its order: the rank, the pointer, and the key's text compared. The fields:
///   seconds   CPU time of the searches, hashing counted
///   ordered   whether the ranks of `hashes`, in ascending order, are 0, 1, 2, ...
/// Throws Error(mismatch) unless each key has a rank of its own below n.
Json search_mphf(const KeySet& keys, const stream::SortedHashes& hashes,
                 const std::filesystem::path& file);

/// Builds the static function `algorithm` ("ribbon" or "fuse") that gives each key its pointer, and
/// searches each key once: pointer, and text compared. The fields:
///   seconds   CPU time of the searches, hashing counted
///   build     CPU time of all threads, hashing counted
///   bytes     of the function
/// Throws Error(mismatch) unless each key is found.
Json search_map(const KeySet& keys, std::string_view algorithm, unsigned threads);

}  // namespace crivo::experiments
