// SPDX-License-Identifier: Apache-2.0
/// --from: keys that are in no key file.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "crivo/keys.hpp"
#include "crivo/lmdb_input.hpp"

namespace crivo::cli {

struct FromOption {
  /// Adds --from, --db and --binary-values.
  void add_to(CLI::App& command);
  bool is_given() const noexcept { return !from.empty(); }
  /// What `paths` hold, with `beside` of each entry where that is more than the key. Throws
  /// Error(usage), and what lmdb_entries() throws.
  KeyInput input(const std::vector<std::string>& paths, LmdbTake beside) const;

  std::string from;
  std::string database;
  bool binary_values = false;
};

}  // namespace crivo::cli
