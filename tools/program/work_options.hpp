// SPDX-License-Identifier: Apache-2.0
/// The resources that a command may take.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <string>

#include "crivo/progress.hpp"

namespace crivo::cli {

/// --threads, --temp-dir, --memory.
struct WorkOptions {
  void add_to(CLI::App& command);
  void put_in(Resources& resources) const;

  unsigned threads = 0;
  std::string temp_dir;
  std::uint64_t memory_bytes = 0;
};

/// --resume.
void add_resume(CLI::App& command, std::filesystem::path& directory);
/// --passes, --again.
void add_passes(CLI::App& command, std::string& again, std::uint64_t& passes);
/// --allow-empty-set.
void add_allow_empty_set(CLI::App& command, bool& allow);

}  // namespace crivo::cli
