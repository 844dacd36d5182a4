// SPDX-License-Identifier: Apache-2.0
/// What every call that builds has in common.
#pragma once

#include <functional>
#include <vector>

#include "capi/call.hpp"
#include "crivo.h"
#include "crivo/build/build.hpp"

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

}  // namespace crivo::capi
