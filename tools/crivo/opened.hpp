// SPDX-License-Identifier: Apache-2.0
/// A file of any kind, opened for lookups: what query and bench work on.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "crivo/filter.hpp"
#include "crivo/map.hpp"
#include "crivo/mphf.hpp"
#include "crivo/open.hpp"
#include "crivo/store.hpp"

namespace crivo::cli {

using Opened = std::variant<Mphf, Filter, Map, Store>;

/// Opens `path` as what it is: a directory is a store, a file whatever its header says.
Opened open_any(const std::filesystem::path& path, const OpenOptions& options);

/// How an index gets into memory.
struct OpenModeOption {
  std::string mode = "mapped";

  /// Adds --open.
  void add_to(CLI::App& command);
  OpenOptions options() const;
};

}  // namespace crivo::cli
