// SPDX-License-Identifier: Apache-2.0
/// How a fuse filter is built (structures/fuse/filter.hpp).
#pragma once

#include <cstdint>
#include <memory>

#include "structures/build/filter.hpp"

namespace crivo::filter {

/// Type::forecast, Type::plan and Type::open of the fuse filter.
Forecast forecast_fuse(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Assembly> plan_fuse(std::uint64_t n, const FilterOptions& options);

}  // namespace crivo::filter
