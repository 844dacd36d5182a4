// SPDX-License-Identifier: Apache-2.0
/// The summary of a build that is done.
#pragma once

#include <string>

#include "crivo/build/build.hpp"
#include "program/common.hpp"

namespace crivo::cli {

/// Ends a command that has published `output`: report_published() of its summary, as JSON or for
/// people.
int report_built(const BuildSummary& summary, const std::string& output,
                 const ReportOptions& reports);

}  // namespace crivo::cli
