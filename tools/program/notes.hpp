// SPDX-License-Identifier: Apache-2.0
/// --note, of the commands that write whole index files.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace crivo::cli {

struct NoteOptions {
  void add_to(CLI::App& command);
  /// As BuildOptions::notes. Throws Error(usage) for one without "=", and for a name twice.
  std::map<std::string, std::string, std::less<>> parsed() const;

  std::vector<std::string> given;
};

}  // namespace crivo::cli
