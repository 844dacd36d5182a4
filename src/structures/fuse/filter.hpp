// SPDX-License-Identifier: Apache-2.0
/// The filter type `fuse`: a static function of a fingerprint of each key (formats/fuse.md).
#pragma once

#include <memory>

#include "structures/filter.hpp"

namespace crivo::filter {

/// Type::forecast, Type::plan and Type::open of the fuse filter.
Forecast forecast_fuse(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Assembly> plan_fuse(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<const Membership> open_fuse(base::ByteView section);

}  // namespace crivo::filter
