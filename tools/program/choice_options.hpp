// SPDX-License-Identifier: Apache-2.0
/// The options that the rows of a kind's choices make.
#pragma once

#include <CLI/CLI.hpp>

#include "crivo/build/options.hpp"

namespace crivo::cli {

/// Adds the option of a choice, whose value goes to `choices`, which outlives the command.
CLI::Option* add_choice(CLI::App& command, const Choice& row, Choices& choices);

}  // namespace crivo::cli
