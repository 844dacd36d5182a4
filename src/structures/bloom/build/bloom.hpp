// SPDX-License-Identifier: Apache-2.0
/// How the Bloom filters are built and changed (structures/bloom/bloom.hpp).
#pragma once

#include <cstdint>
#include <memory>

#include "structures/build/filter.hpp"

namespace crivo::filter {

/// Type::forecast, Type::plan, Type::open and Type::edit of the plain Bloom filter.
Forecast forecast_bloom(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Assembly> plan_bloom(std::uint64_t n, const FilterOptions& options);
/// Adds only; a hash that the filter may hold changes nothing and is not counted as another.
std::unique_ptr<Editor> edit_bloom(base::ByteView section);

/// The same of the counting one, whose counters have options.counter_bits bits.
Forecast forecast_counting_bloom(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Assembly> plan_counting_bloom(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Editor> edit_counting_bloom(base::ByteView section);

}  // namespace crivo::filter
