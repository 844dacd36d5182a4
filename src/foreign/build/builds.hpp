// SPDX-License-Identifier: Apache-2.0
/// The build of each format, as the rows of formats.cpp call it.
#pragma once

#include "crivo/build/build.hpp"
#include "crivo/build/options.hpp"
#include "crivo/foreign.hpp"
#include "foreign/fingerprint_filter.hpp"

namespace crivo::foreign {

BuildSummary build_clubcard(const FormatInfo& info, const KeyInput& input, const Output& output,
                            const Choices& choices, const BuildOptions& options);
BuildSummary build_fingerprints(const FormatInfo& info, FingerprintLayout layout, unsigned bytes,
                                const KeyInput& input, const Output& output, const Choices& choices,
                                const BuildOptions& options);

}  // namespace crivo::foreign
