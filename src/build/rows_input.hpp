// SPDX-License-Identifier: Apache-2.0
/// The input of an index of rows, as building and verifying it share it.
#pragma once

#include <memory>

#include "crivo/build/keys.hpp"
#include "crivo/build/options.hpp"
#include "crivo/progress.hpp"
#include "input/row_files.hpp"

namespace crivo::index {

/// The files that the options know, if any, from columns as those of the keys are. Throws what
/// input::read_row_groups() does.
std::shared_ptr<input::RowFiles> row_files_of(const RowsOptions& rows, const KeyFormat& format,
                                              Progress& progress);

}  // namespace crivo::index
