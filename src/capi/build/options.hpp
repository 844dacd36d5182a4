// SPDX-License-Identifier: Apache-2.0
/// Options of builds, as C gives them, as the library takes them.
#pragma once

#include <functional>

#include "crivo.h"
#include "crivo/build/build.hpp"
#include "crivo/build/options.hpp"

namespace crivo::capi {

/// Texts NAME=VALUE up to a null one; null for none. Throws Error(usage) for another text, or a
/// name that is there twice.
Choices choices_of(const char* const* given);

/// The form of a type with that name (null: unsigned). Throws Error(usage) for one that is not
/// known.
ValueForm value_form(const char* type, unsigned scale);
/// What to do with repeats by its name (null: first). Throws the same.
RepeatedRecords repeated_records(const char* name);

/// Takes what a build writes to. Throws Error(usage) for one that has neither a path nor a
/// function.
Output output_of(const crivo_output* given);

/// Runs work(options), with_resources() of them.
void with_build_options(const crivo_build_options* given,
                        const std::function<void(const BuildOptions&)>& work);

}  // namespace crivo::capi
