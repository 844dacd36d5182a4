// SPDX-License-Identifier: Apache-2.0
#include "program/open_path.hpp"

#include "crivo/foreign.hpp"

namespace crivo::cli {

std::unique_ptr<OpenIndex> open_path(const std::string& path, const OpenOptions& options) {
  return foreign::format_of(path) != nullptr ? foreign::open(path, options)
                                             : OpenIndex::open(path, options);
}

}  // namespace crivo::cli
