// SPDX-License-Identifier: Apache-2.0
/// The filter type `ribbon`: a static function of a fingerprint of each key (formats/ribbon.md).
#pragma once

#include <memory>

#include "structures/filter.hpp"

namespace crivo::filter {

/// Type::forecast, Type::plan and Type::open of the ribbon filter.
Forecast forecast_ribbon(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Assembly> plan_ribbon(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<const Membership> open_ribbon(base::ByteView section);

}  // namespace crivo::filter
