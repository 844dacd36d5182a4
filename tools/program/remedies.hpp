// SPDX-License-Identifier: Apache-2.0
/// The remedies that the library names, as the program says them.
#pragma once

#include <string>
#include <string_view>

namespace crivo::cli {

/// `text` and, behind it, what of the program is meant by `remedy`, which is that of an ErrorPlace
/// or a Warning: an option of the call, or another command. A text that begins with the member that
/// is at fault ("fpr: ...") begins with the option that sets it instead ("--fpr: ...").
std::string with_remedy(std::string_view text, std::string_view remedy);

}  // namespace crivo::cli
