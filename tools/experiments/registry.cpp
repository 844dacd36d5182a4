#include <array>

#include "experiments/dissertation.hpp"
#include "experiments/experiment.hpp"

namespace crivo::experiments {

std::span<const Experiment> experiments() noexcept {
  static const std::array kExperiments{
      key_sets_experiment(),
  };
  return kExperiments;
}

}  // namespace crivo::experiments
