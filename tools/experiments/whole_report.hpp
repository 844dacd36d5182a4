// SPDX-License-Identifier: Apache-2.0
/// The report of all that was measured.
#pragma once

#include <filesystem>

#include "experiments/report.hpp"

namespace crivo::experiments {

/// Writes report.md and report.pt.md with their plots: of all experiments whose results are
/// complete. Throws Error(io).
void write_reports(const std::filesystem::path& directory, const AllResults& all);

}  // namespace crivo::experiments
