// SPDX-License-Identifier: Apache-2.0
/// Errors as the program tells them.
#pragma once

#include <exception>

namespace crivo::cli {

/// Writes `error` on standard error, one line whatever its message holds: "crivo: MESSAGE" or, with
/// `json`, an object with the message, the exit code, and the place as far as it is known. Returns
/// the exit code: that of an Error, or of I/O for what came from the system.
int report_error(const std::exception& error, bool json) noexcept;

}  // namespace crivo::cli
