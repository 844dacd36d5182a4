// SPDX-License-Identifier: Apache-2.0
/// The build of each format, as the rows of formats.cpp call it: build() refuses what no format has
/// a place for, and names the format in the summary.
#pragma once

#include "crivo/build/build.hpp"
#include "crivo/build/options.hpp"
#include "foreign/fingerprint_filter.hpp"

namespace crivo::foreign {

BuildSummary build_clubcard(const KeyInput& input, const Output& output, const Choices& choices,
                            const BuildOptions& options);
BuildSummary build_fingerprints(FingerprintLayout layout, unsigned bytes, const KeyInput& input,
                                const Output& output, const Choices& choices,
                                const BuildOptions& options);

}  // namespace crivo::foreign
