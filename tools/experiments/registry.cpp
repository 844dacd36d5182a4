// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "experiments/dissertation.hpp"
#include "experiments/experiment.hpp"
#include "experiments/slides.hpp"
#include "experiments/thesis.hpp"

namespace crivo::experiments {

std::span<const Experiment> experiments() noexcept {
  static const std::array kExperiments{
      key_sets_experiment(),     linear_probing_experiment(), mphf_experiment(),
      growth_experiment(),       fch_buckets_experiment(),    faithful_experiment(),
      dictionaries_experiment(), hyphenation_experiment(),    exceptions_experiment(),
      bloom_rate_experiment(),
  };
  return kExperiments;
}

}  // namespace crivo::experiments
