// SPDX-License-Identifier: Apache-2.0
#include "index/build_phases.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>

#include "index/filter_file.hpp"
#include "index/map_file.hpp"
#include "index/rank_index.hpp"

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
/// Bytes a second of a disk that is read and written at the same time by nobody else.
constexpr double kDiskBytes = 1e9;

/// Of a key with its delimiter, where none is known.
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

double estimated_seconds(const std::vector<Progress::Phase>& plan, std::uint64_t keys,
                         std::uint64_t spilled_bytes) {
  const double spilling = static_cast<double>(spilled_bytes) / kDiskBytes;
  double read = 0;
  double rest = 0;
  for (const Progress::Phase& phase : plan) {
    const std::string_view name = phase.name;
    if (name == "compare") continue;  // seldom: only where equal keys are there
    (name == "hash" ? read : rest) += phase.weight * 1e-9 * static_cast<double>(keys);
  }
  const double seconds = std::max(read, spilling) + std::max(rest, spilling);
  if (seconds <= 0) return 0;
  const int digits = 1 - static_cast<int>(std::floor(std::log10(seconds)));
  const double scale = std::pow(10, std::abs(digits));
  return digits < 0 ? std::round(seconds / scale) * scale : std::round(seconds * scale) / scale;
}

}  // namespace crivo::index
