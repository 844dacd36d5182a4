// SPDX-License-Identifier: Apache-2.0
#include "structures/trial/trial.hpp"

#include "structures/ribbon/build/filter.hpp"
#include "structures/ribbon/filter.hpp"

namespace crivo::filter {

Forecast forecast_trial(std::uint64_t n, const FilterOptions& options) {
  return forecast_ribbon(n, options);
}
std::unique_ptr<Assembly> plan_trial(std::uint64_t n, const FilterOptions& options) {
  return plan_ribbon(n, options);
}
std::unique_ptr<const Membership> open_trial(base::ByteView section) {
  return open_ribbon(section);
}

}  // namespace crivo::filter
