// SPDX-License-Identifier: Apache-2.0
/// Options of a call that are at fault.
#pragma once

#include <string>

namespace crivo::base {

/// Throws Error(usage) with the remedy `option`: "OPTION: PROBLEM". `option` is a member of the
/// call's options, by its name.
[[noreturn]] void refuse_option(const std::string& option, const std::string& problem);

/// The same of a number: "OPTION: VALUE PROBLEM".
[[noreturn]] void refuse_option(const std::string& option, double value,
                                const std::string& problem);

}  // namespace crivo::base
