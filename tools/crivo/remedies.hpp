// SPDX-License-Identifier: Apache-2.0
/// What the library says would help, as the program has it.
#pragma once

#include <string>
#include <string_view>

namespace crivo::cli {

/// `text` and, in parentheses behind it, what of the program is meant by `remedy`, which is that of
/// an ErrorPlace or a Warning: an option of the call, or another command.
std::string with_remedy(std::string_view text, std::string_view remedy);

}  // namespace crivo::cli
