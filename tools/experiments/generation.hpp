// SPDX-License-Identifier: Apache-2.0
/// Building one minimal perfect hash function, with what the dissertation tells of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "experiments/named_hashes.hpp"
#include "experiments/results.hpp"
#include "stream/sorted_hashes.hpp"

namespace crivo::experiments {

/// The algorithms by their names in the dissertation: its own, its future work's, and today's.
struct NamedAlgorithm {
  std::string_view symbol;
  std::string_view name;  ///< of Crivo
  bool of_document;       ///< one of its own
};
inline constexpr std::array<NamedAlgorithm, 7> kNamedAlgorithms{{
    {"MWHC-2", "mwhc2", true},
    {"MWHC-3", "mwhc3", true},
    {"FCH", "fch", true},
    {"BMZ", "bmz", false},
    {"BDZ", "bdz", false},
    {"fast", "fast", false},
    {"compact", "compact", false},
}};

/// Builds the function of sorted hashes into `output`, which is replaced, unless it is empty; where
/// it preserves an order, that of the set. On one thread. The fields, of which those that end in
/// `seconds` are CPU times:
///   attempts               functions tried: graphs, or mappings of FCH; 1 where there are none
///   patterns, alignments   of FCH: functions h20 tried; alignments of a pattern on average
///   mapping_seconds        where the algorithm has such steps: mapping, with MWHC's ordering,
///   ordering_seconds       FCH's, once more by itself,
///   search_seconds         and searching
///   seconds                all of them
///   hashing_seconds        what it took to hash and sort the keys, which is in none of these
///   bytes                  of the section
Json generate(const NamedAlgorithm& algorithm, const HashedKeySet& keys, const NamedHash& hash,
              std::uint64_t seed, const std::filesystem::path& output = {});

}  // namespace crivo::experiments
