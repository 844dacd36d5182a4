// SPDX-License-Identifier: Apache-2.0
/// What is said of keys whose hashes are not spread like random ones (KeySpread).
#pragma once

#include <string>

namespace crivo::stream {

/// Throws Error(bad_input) about the keys of `name`, a file or a directory. `can_be_keyed`: a
/// random seed gives them other hashes.
[[noreturn]] void fail_uneven(const std::string& name, bool can_be_keyed);

}  // namespace crivo::stream
