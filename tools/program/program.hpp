// SPDX-License-Identifier: Apache-2.0
/// The program as functions, for main() and for tests that link it without main().
#pragma once

#include <string>
#include <vector>

#include "program/action.hpp"

namespace crivo::cli {

/// Returns what `arguments`, those after the program's name, ask for. Nothing is done yet: no file
/// is opened and nothing printed, help and version included. Throws Error(usage).
Action parse(std::vector<std::string> arguments);

/// Parses the command line and does what it asks for; an error is one line on standard error, with
/// --json an object.
/// Returns the exit code; throws nothing.
int run(int argc, const char* const* argv);

}  // namespace crivo::cli
