// SPDX-License-Identifier: Apache-2.0
/// Passwords of secret keys.
#pragma once

#include <string>

namespace crivo::cli {

/// The first line of a file, without its end. Throws Error(io), or Error(usage) for none.
std::string password_of_file(const std::string& path);

/// Asks for one on the terminal, and does not show it. Throws Error(usage) where there is no
/// terminal, and Error(cancelled) for Ctrl-C.
std::string ask_for_password(const std::string& key_file);

}  // namespace crivo::cli
