#include "index/build_phases.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>

namespace crivo::index {
namespace {

// Measured on 10^7 integers and URLs (a Xeon of 2.1 GHz): nanoseconds of processor time a key. They
// vary by some 30 % with the machine and the number of keys, which a bar can bear.
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

struct StepCost {
  std::string_view algorithm;
  std::array<PhaseCost, 2> phases;  ///< the second may have no name
};

constexpr std::array kMphfs{
    StepCost{"fast", {{{"mphf", 38}, {nullptr, 0}}}},
    StepCost{"compact", {{{"mphf", 50}, {nullptr, 0}}}},
    StepCost{"tiny", {{{"mphf", 165}, {nullptr, 0}}}},
    StepCost{"mwhc2", {{{"mapping", 780, false}, {"search", 120, false}}}},
    StepCost{"mwhc3", {{{"mapping", 600, false}, {"search", 105, false}}}},
    StepCost{"fch", {{{"mapping", 30, false}, {"search", 450, false}}}},
    StepCost{"bmz", {{{"mapping", 350, false}, {"search", 510, false}}}},
    StepCost{"bdz", {{{"mapping", 630, false}, {"search", 105, false}}}},
};

constexpr std::array kFilters{
    PhaseCost{"ribbon", 80},
    PhaseCost{"fuse", 45},
    PhaseCost{"split-block-bloom", 12},
    PhaseCost{"bloom", 28},
    PhaseCost{"counting-bloom", 40},
    PhaseCost{"cuckoo", 53},
    PhaseCost{"hash-compaction", 45, false},
};

// Of the time without effort.
constexpr std::array kCompactEfforts{1.0, 1.5, 2.3};
constexpr std::array kTinyEfforts{1.0, 1.45, 6.6};

constexpr double kSignature = 25;
constexpr double kRibbon = 85;
constexpr double kFuse = 50;
constexpr double kCompress = 105;
constexpr double kMwhcMap = 15;  // the vertices' values; the graph is that of the MPHF

std::vector<PhaseCost> steps_of(std::string_view algorithm) {
  std::vector<PhaseCost> phases;
  for (const StepCost& step : kMphfs) {
    if (step.algorithm != algorithm) continue;
    for (const PhaseCost& phase : step.phases) {
      if (phase.name != nullptr) phases.push_back(phase);
    }
  }
  return phases;
}

}  // namespace

std::vector<PhaseCost> mphf_phases(std::string_view algorithm, unsigned effort,
                                   unsigned signature_bits) {
  std::vector<PhaseCost> phases = steps_of(algorithm);
  if (algorithm == "compact") phases[0].nanoseconds *= kCompactEfforts[effort];
  if (algorithm == "tiny") phases[0].nanoseconds *= kTinyEfforts[effort];
  if (signature_bits != 0) phases.push_back({"signatures", kSignature});
  return phases;
}

std::vector<PhaseCost> filter_phases(std::string_view type) {
  for (const PhaseCost& filter : kFilters) {
    if (filter.name == type) return {{"filter", filter.nanoseconds, filter.parallel}};
  }
  return {};
}

std::vector<PhaseCost> map_phases(const MapOptions& map) {
  std::vector<PhaseCost> phases;
  if (map.algorithm == "ribbon") {
    phases.push_back({"map", map.compress ? kCompress : kRibbon});
  } else if (map.algorithm == "fuse") {
    phases.push_back({"map", kFuse});
  } else {
    phases.push_back({"map", kMwhcMap, false});
    for (const PhaseCost& phase : steps_of(map.algorithm)) phases.push_back(phase);
  }
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
