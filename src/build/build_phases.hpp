// SPDX-License-Identifier: Apache-2.0
/// How long the phases of a build take against each other, for its progress bar.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "crivo/build/build.hpp"
#include "input/input_sample.hpp"
#include "lookup/rank_index.hpp"
#include "structures/build/build_cost.hpp"

namespace crivo::index {

/// The phases of what follows the reading, from the registries. An effort is one that the algorithm
/// has.
std::vector<PhaseCost> mphf_phases(std::string_view algorithm, unsigned effort,
                                   unsigned signature_bits);
std::vector<PhaseCost> filter_phases(const FilterOptions& filter);
std::vector<PhaseCost> map_phases(const MapOptions& map);
/// Those of a store after its MPHF; `record_bytes` is the mean length of a pair.
std::vector<PhaseCost> record_phases(double record_bytes);

/// How many of the threads are at work on average.
double parallelism(const std::vector<PhaseCost>& phases, unsigned threads);

/// The cost of reading an input, by the mean lengths of its units.
struct ReadCost {
  double unit_bytes = 0;
  bool compressed = false;
  double record_bytes = 0;  ///< not 0 where records are spooled as they are read
};

/// The plan of a whole build: reading the input, `phases`, and writing. A weight is the
/// nanoseconds that the phase takes of each key, on so many threads.
std::vector<Progress::Phase> planned_phases(const BuildOptions& options, unsigned threads,
                                            const ReadCost& reading,
                                            const std::vector<PhaseCost>& phases);

/// The mean length of a unit, or a usual one where none is known.
double mean_unit_bytes(const input::InputSample& input);

}  // namespace crivo::index
