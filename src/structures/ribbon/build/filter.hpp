// SPDX-License-Identifier: Apache-2.0
/// How a ribbon filter is built (structures/ribbon/filter.hpp).
#pragma once

#include <cstdint>
#include <memory>

#include "structures/build/filter.hpp"

namespace crivo::filter {

/// Type::forecast, Type::plan and Type::open of the ribbon filter.
Forecast forecast_ribbon(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Assembly> plan_ribbon(std::uint64_t n, const FilterOptions& options);

}  // namespace crivo::filter
