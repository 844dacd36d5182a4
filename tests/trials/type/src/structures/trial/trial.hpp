// SPDX-License-Identifier: Apache-2.0
/// A trial: a ribbon under another name.
#pragma once

#include <memory>

#include "structures/filter.hpp"

namespace crivo::filter {

Forecast forecast_trial(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Assembly> plan_trial(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<const Membership> open_trial(base::ByteView section);

}  // namespace crivo::filter
