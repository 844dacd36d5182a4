// SPDX-License-Identifier: Apache-2.0
#include "build/build_phases.hpp"

#include <algorithm>
#include <cstddef>

#include "build/chosen.hpp"
#include "lookup/filter_file.hpp"
#include "lookup/map_file.hpp"
#include "lookup/rank_index.hpp"

namespace crivo::index {
namespace {

// As BuildCost is: nanoseconds of processor time a key.
constexpr double kHashing = 20;
constexpr double kHashByte = 0.35;
constexpr double kDecompressByte = 3;
constexpr double kSort = 12;
constexpr double kSpoolByte = 2.5;  // of a record
/// The part of all that goes before that it takes to make the output durable.
constexpr double kWrite = 0.02;

/// The usual length of a key with its delimiter, where none is known.
constexpr double kUsualUnit = 40;

constexpr double kSignature = 3;
constexpr double kRibbon = 85;  // of a map's signatures

std::vector<PhaseCost> phases_of(const BuildCost& cost, unsigned effort) {
  std::vector<PhaseCost> phases;
  for (const PhaseCost& phase : cost.phases) {
    if (phase.name != nullptr) phases.push_back(phase);
  }
  phases.front().nanoseconds *= cost.efforts[effort];
  return phases;
}

}  // namespace

std::vector<PhaseCost> mphf_phases(std::string_view algorithm, unsigned effort,
                                   unsigned signature_bits) {
  std::vector<PhaseCost> phases = phases_of(find_algorithm(algorithm).cost, effort);
  if (signature_bits != 0) phases.push_back({"signatures", kSignature});
  return phases;
}

std::vector<PhaseCost> filter_phases(const FilterOptions& filter) {
  return phases_of(filter::find_type(filter).cost, 0);
}

std::vector<PhaseCost> map_phases(const MapOptions& map) {
  std::vector<PhaseCost> phases = phases_of(map::find_algorithm(map).cost, 0);
  if (map.signature_bits != 0) phases.push_back({"filter", kRibbon});
  return phases;
}

std::vector<PhaseCost> record_phases(double record_bytes) {
  return {{"rank records", 130, false}, {"write records", 100 + 8 * record_bytes, false}};
}

double parallelism(const std::vector<PhaseCost>& phases, unsigned threads) {
  double work = 0;
  double seconds = 0;
  for (const PhaseCost& phase : phases) {
    work += phase.nanoseconds;
    seconds += phase.nanoseconds / (phase.parallel ? threads : 1);
  }
  return work / seconds;
}

double mean_unit_bytes(const input::InputSample& input) {
  const std::uint64_t units = input.units.value_or(0);
  if (!input.bytes || units == 0) return kUsualUnit;
  return static_cast<double>(*input.bytes) / static_cast<double>(units);
}

std::vector<Progress::Phase> planned_phases(const BuildOptions& options, unsigned threads,
                                            const ReadCost& reading,
                                            const std::vector<PhaseCost>& phases) {
  const double read =
      (kHashing + kHashByte * reading.unit_bytes + kSpoolByte * reading.record_bytes) / threads +
      (reading.compressed ? kDecompressByte * reading.unit_bytes : 0);
  std::vector<Progress::Phase> plan{{"hash", read}};
  if (options.ignore_duplicates) {
    plan.push_back({"sort", kSort / threads});
    plan.push_back({"compare", read});
  }
  for (const PhaseCost& phase : phases) {
    plan.push_back({phase.name, phase.nanoseconds / (phase.parallel ? threads : 1)});
  }
  double all = 0;
  for (const Progress::Phase& phase : plan) all += phase.weight;
  plan.push_back({"write", kWrite * all});
  return plan;
}

}  // namespace crivo::index
