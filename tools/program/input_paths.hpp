// SPDX-License-Identifier: Apache-2.0
/// The files that a command reads its keys from: arguments, and those that a list names.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace crivo::cli {

/// Adds the argument `name` and --files-from, whose files come behind the arguments in `paths`.
CLI::Option* add_input_paths(CLI::App& command, const std::string& name,
                             std::vector<std::string>& paths, const std::string& help);
/// Adds --files-from alone, after the option whose files `paths` has.
void add_files_from(CLI::App& command, std::vector<std::string>& paths);

/// Where no file is named, standard input is one, if something was sent there: a pipe or a file.
/// Throws Error(usage) if not, which says that `name` is missing.
void require_inputs(std::vector<std::string>& paths, const std::string& name);

/// `paths`, of which a directory stands for all regular files below it, in the order of their
/// names. Hidden ones, and what links to directories lead to, are left out. Throws Error(io), and
/// Error(usage) for a directory without files.
std::vector<std::string> with_files_in_folders(const std::vector<std::string>& paths);

}  // namespace crivo::cli
