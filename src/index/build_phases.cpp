#include "index/build_phases.hpp"

#include <array>
#include <cmath>
#include <cstddef>

namespace crivo::index {
namespace {

// Measured on 10^7 words and 10^6 URLs (a Xeon of 2.1 GHz): nanoseconds of processor time a key.
// They vary by some 30 % with the machine and the number of keys, which a bar can bear.
constexpr double kHashing = 55;
constexpr double kHashByte = 0.35;
constexpr double kDecompressByte = 3;
constexpr double kSort = 23;
constexpr double kSpoolByte = 2.5;  // of a record
/// The part of all that goes before that it takes to make the output durable.
constexpr double kWrite = 0.02;

/// Of a key with its delimiter, where none is known.
constexpr double kUsualUnit = 40;

struct StepCost {
  std::string_view algorithm;
  std::array<PhaseCost, 2> phases;  ///< the second may have no name
};

constexpr std::array kMphfs{
    StepCost{"fast", {{{"mphf", 30}, {nullptr, 0}}}},
    StepCost{"compact", {{{"mphf", 45}, {nullptr, 0}}}},
    StepCost{"tiny", {{{"mphf", 165}, {nullptr, 0}}}},
    StepCost{"mwhc2", {{{"mapping", 780, false}, {"search", 120, false}}}},
    StepCost{"mwhc3", {{{"mapping", 600, false}, {"search", 105, false}}}},
    StepCost{"fch", {{{"mapping", 30, false}, {"search", 450, false}}}},
    StepCost{"bmz", {{{"mapping", 350, false}, {"search", 510, false}}}},
    StepCost{"bdz", {{{"mapping", 630, false}, {"search", 105, false}}}},
};

constexpr std::array kFilters{
    PhaseCost{"ribbon", 135},
    PhaseCost{"fuse", 68},
    PhaseCost{"split-block-bloom", 9},
    PhaseCost{"bloom", 63},
    PhaseCost{"counting-bloom", 106},
    PhaseCost{"cuckoo", 48},
    PhaseCost{"hash-compaction", 37, false},
};

constexpr double kSignature = 12;
constexpr double kRibbon = 135;
constexpr double kFuse = 66;
constexpr double kCompress = 230;
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
  if (algorithm == "compact") phases[0].nanoseconds *= 1 + 1.2 * effort;
  if (algorithm == "tiny") phases[0].nanoseconds *= std::ldexp(1.0, static_cast<int>(effort));
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
  return {{"rank records", 100, false}, {"write records", 100 + 5 * record_bytes, false}};
}

double mean_unit_bytes(const input::InputSample& input) {
  const std::uint64_t units = input.units.value_or(0);
  if (!input.bytes || units == 0) return kUsualUnit;
  return static_cast<double>(*input.bytes) / static_cast<double>(units);
}

void plan_build(Progress& progress, const BuildOptions& options, unsigned threads,
                const input::InputSample& input, const std::vector<PhaseCost>& phases,
                double record_bytes) {
  // One key stands for all: the weights need no more than their ratios.
  const double unit = mean_unit_bytes(input);
  const bool compressed = input.bytes && !input.units;
  const double read = (kHashing + kHashByte * unit + kSpoolByte * record_bytes) / threads +
                      (compressed ? kDecompressByte * unit : 0);
  std::vector<Progress::Phase> plan{{"hash", read}, {"sort", kSort / threads}};
  if (options.ignore_duplicates) plan.push_back({"compare", read});
  for (const PhaseCost& phase : phases) {
    plan.push_back({phase.name, phase.nanoseconds / (phase.parallel ? threads : 1)});
  }
  double all = 0;
  for (const Progress::Phase& phase : plan) all += phase.weight;
  plan.push_back({"write", kWrite * all});
  progress.plan(plan);
}

}  // namespace crivo::index
