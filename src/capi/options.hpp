// SPDX-License-Identifier: Apache-2.0
/// Options of builds, as C gives them, as the library takes them.
#pragma once

#include <functional>

#include "crivo.h"
#include "crivo/build.hpp"

namespace crivo::capi {

MphfOptions mphf_options(const crivo_mphf_options* given);
FilterOptions filter_options(const crivo_filter_options* given);
MapOptions map_options(const crivo_map_options* given);
StoreOptions store_options(const crivo_store_options* given);

/// Of a type's name (null: unsigned). Throws Error(usage) for one that is not known.
ValueForm value_form(const char* type, unsigned scale);
/// Of their name (null: first), likewise.
RepeatedRecords repeated_records(const char* name);

/// Runs work(options), with_resources() of them.
void with_build_options(const crivo_build_options* given,
                        const std::function<void(const BuildOptions&)>& work);

}  // namespace crivo::capi
