// SPDX-License-Identifier: Apache-2.0
#include "structures/trial/build/trial.hpp"

#include "structures/ribbon/build/builder.hpp"

namespace crivo::filter {

Forecast forecast_trial(std::uint64_t n, const FilterOptions& options) {
  return forecast_ribbon(n, options);
}
std::unique_ptr<Assembly> plan_trial(std::uint64_t n, const FilterOptions& options) {
  return plan_ribbon(n, options);
}

}  // namespace crivo::filter
