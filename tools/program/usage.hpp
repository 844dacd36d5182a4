// SPDX-License-Identifier: Apache-2.0
/// The help and the errors that a user gets about commands and options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace crivo::cli {

/// Why `app` refused a command line, in one line: an unknown command or option, with the one that
/// was perhaps meant, or else what the parser says, `error`.
std::string explain(const CLI::App& app, const std::string& error);

/// Returns what --help answers on the command line that `app` has seen. Throws Error(usage) if that
/// names a command that there is not.
std::string help(const CLI::App& app);

/// The help of the command that `words` name, such as {"build", "mphf"}, or of the topic; of `app`
/// itself without. Throws Error(usage) if there is neither.
std::string help_of(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace crivo::cli
