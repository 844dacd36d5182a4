// SPDX-License-Identifier: Apache-2.0
/// How a range filter is built (structures/range/range.hpp).
#pragma once

#include <cstdint>
#include <memory>

#include "structures/build/filter.hpp"

namespace crivo::filter {

/// Type::forecast, Type::plan and Type::open. The hashes are hashing::range_hash()es.
Forecast forecast_range(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Assembly> plan_range(std::uint64_t n, const FilterOptions& options);

}  // namespace crivo::filter
