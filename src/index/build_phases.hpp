/// How long the phases of a build take against each other, for its progress bar.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "crivo/build.hpp"
#include "input/input_sample.hpp"

namespace crivo::index {

/// What a phase takes of each key. Names are those that the builders give to Progress::begin().
struct PhaseCost {
  const char* name;
  double nanoseconds;    ///< of one thread
  bool parallel = true;  ///< shared by all threads
};

std::vector<PhaseCost> mphf_phases(std::string_view algorithm, unsigned effort,
                                   unsigned signature_bits);
std::vector<PhaseCost> filter_phases(std::string_view type);
std::vector<PhaseCost> map_phases(const MapOptions& map);
/// Those of a store after its MPHF; `record_bytes` is the mean length of a pair.
std::vector<PhaseCost> record_phases(double record_bytes);

/// Gives `progress` the plan of a whole build: reading `input` and sorting the hashes, `phases`,
/// and writing. `record_bytes` is not 0 where records are spooled as they are read.
void plan_build(Progress& progress, const BuildOptions& options, unsigned threads,
                const input::InputSample& input, const std::vector<PhaseCost>& phases,
                double record_bytes = 0);

/// The mean length of a unit, or a usual one where none is known.
double mean_unit_bytes(const input::InputSample& input);

}  // namespace crivo::index
