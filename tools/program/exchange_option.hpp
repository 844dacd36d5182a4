// SPDX-License-Identifier: Apache-2.0
/// How the steps of a build in shards exchange their files without a shared directory.
#pragma once

#include <CLI/CLI.hpp>

#include "crivo/build/build.hpp"

namespace crivo::cli {

/// --put, --get. `what` is told of --put: what the command makes.
void add_exchange(CLI::App& command, ExchangeCommands& commands, const std::string& what);

}  // namespace crivo::cli
