/// UTF-8 as Unicode has it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string_view>

namespace crivo::base {

/// The bytes, 1 to 4, of the character that `bytes` begin with; 0 if they begin with none.
std::size_t utf8_length(std::string_view bytes) noexcept;

/// Whether `bytes` are characters through and through. O(bytes).
bool is_utf8(std::string_view bytes) noexcept;

}  // namespace crivo::base
