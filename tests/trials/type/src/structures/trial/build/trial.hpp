// SPDX-License-Identifier: Apache-2.0
/// How a trial is built.
#pragma once

#include <cstdint>
#include <memory>

#include "structures/build/filter.hpp"

namespace crivo::filter {

Forecast forecast_trial(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Assembly> plan_trial(std::uint64_t n, const FilterOptions& options);

}  // namespace crivo::filter
