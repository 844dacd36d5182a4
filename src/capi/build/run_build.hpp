// SPDX-License-Identifier: Apache-2.0
/// The part that every call that builds has.
#pragma once

#include <functional>
#include <vector>

#include "capi/call.hpp"
#include "crivo.h"
#include "crivo/build/build.hpp"
#include "crivo/build/options.hpp"

namespace crivo::capi {

/// Runs build(options), and tells what it did: in `summary`, which may be null, and by
/// crivo_warnings(). Throws what the build does.
void build_and_tell(const crivo_build_options* given, crivo_summary* summary,
                    const std::function<BuildSummary(const BuildOptions&)>& build);

/// The same as a call.
template <typename Build>
crivo_status run_build(const crivo_build_options* given, crivo_summary* summary,
                       Build&& build) noexcept {
  return call([&] { build_and_tell(given, summary, build); });
}

/// Has crivo_warnings() tell the calling thread these.
void tell_warnings(const std::vector<Warning>& warnings);

/// Texts NAME=VALUE up to a null one; null for none. Throws Error(usage) for another text, or a
/// name that is there twice.
Choices choices_of(const char* const* given);

/// The form of a type with that name (null: unsigned). Throws Error(usage) for one that is not
/// known.
ValueForm value_form(const char* type, unsigned scale);
/// Finds what to do with repeats by its name (null: first). Throws the same.
RepeatedRecords repeated_records(const char* name);

/// Takes what a build writes to. Throws Error(usage) for one that has neither a path nor a
/// function.
Output output_of(const crivo_output* given);

/// Runs work(options), with_resources() of them.
void with_build_options(const crivo_build_options* given,
                        const std::function<void(const BuildOptions&)>& work);

}  // namespace crivo::capi
