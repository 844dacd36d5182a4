// SPDX-License-Identifier: Apache-2.0
/// What is said of keys whose hashes are not spread like random ones (stream::KeySpread).
#pragma once

#include <string>

namespace crivo::input {

/// Throws Error(bad_input) about the keys of `name`, a file or a directory. `has_seed`: another
/// seed gives them other hashes.
[[noreturn]] void fail_uneven(const std::string& name, bool has_seed);

}  // namespace crivo::input
