/// Bytes of a key as a person can read them in a message.
#pragma once

#include <string>
#include <string_view>

namespace crivo::util {

/// `bytes` in double quotes on one line: control bytes, quotes and backslashes are escaped (\xHH), and
/// what is longer than 200 bytes is cut short with its full length told. UTF-8 passes as it is.
std::string quote(std::string_view bytes);

}  // namespace crivo::util
