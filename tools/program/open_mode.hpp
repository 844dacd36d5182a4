// SPDX-License-Identifier: Apache-2.0
/// How the commands open an index.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "crivo/open.hpp"

namespace crivo::cli {

/// How an index gets into memory.
struct OpenModeOption {
  std::string mode = "mapped";

  /// Adds --open.
  void add_to(CLI::App& command);
  OpenOptions options() const;
};

}  // namespace crivo::cli
