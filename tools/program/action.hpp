// SPDX-License-Identifier: Apache-2.0
/// The action that a command line asks for. Apart from the subcommands' declarations, which take in
/// the whole command-line parser.
#pragma once

#include <functional>

namespace crivo::cli {

/// Set by the subcommand that was parsed. Returns the exit code.
using Action = std::function<int()>;

}  // namespace crivo::cli
