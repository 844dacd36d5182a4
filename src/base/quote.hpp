/// Bytes from outside, as a person can read them in a message or on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace crivo::base {

/// `bytes` on one line and without a command to the terminal: control characters (of Unicode, so
/// those of C1 too) and bytes that are not UTF-8 become \xHH. All else passes as it is.
std::string escape(std::string_view bytes);

/// The same in double quotes, with quotes and backslashes escaped; what is longer than 200 bytes is
/// cut short with its full length told.
std::string quote(std::string_view bytes);

}  // namespace crivo::base
