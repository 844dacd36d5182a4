// SPDX-License-Identifier: Apache-2.0
/// Opens what a command names, whether Crivo wrote it or others did.
#pragma once

#include <memory>
#include <string>

#include "crivo/index.hpp"
#include "crivo/open.hpp"

namespace crivo::cli {

/// Throws what OpenIndex::open() and foreign::open() do.
std::unique_ptr<OpenIndex> open_path(const std::string& path, const OpenOptions& options);

}  // namespace crivo::cli
