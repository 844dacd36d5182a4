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
  bool of_seeds;          ///< takes any hash; else XXH3 alone
};
inline constexpr std::array<NamedAlgorithm, 7> kNamedAlgorithms{{
    {"MWHC-2", "mwhc2", true},
    {"MWHC-3", "mwhc3", true},
    {"FCH", "fch", true},
    {"BMZ", "bmz", true},
    {"BDZ", "bdz", true},
    {"fast", "fast", false},
    {"compact", "compact", false},
}};

/// Builds the function of sorted hashes into `output`, which is replaced, unless it is empty. The
/// fields, times in CPU seconds of all threads:
///   attempts               functions tried: graphs, or mappings of FCH; 1 where there are none
///   patterns, alignments   of FCH: functions h20 tried; alignments of a pattern on average
///   mapping, search        its steps, where the algorithm has them: mapping and ordering; search
///   seconds                both
///   bytes                  of the section
Json generate(const NamedAlgorithm& algorithm, const HashedKeySet& keys, const NamedHash& hash,
              std::uint64_t seed, unsigned threads, const std::filesystem::path& output = {});

}  // namespace crivo::experiments
