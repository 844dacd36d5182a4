// SPDX-License-Identifier: Apache-2.0
/// Character references of SGML, HTML and XML.
#pragma once

#include <cstddef>
#include <string_view>

namespace crivo::extract {

/// Of all names the longest has so many bytes.
inline constexpr std::size_t kLongestReference = 16;

/// The letter or digit that a reference stands for, given what is between its `&` and its end:
/// `eacute`, `#233`, `#xe9`. `ends` tells whether a `;` follows; without one a name is that of a
/// letter up to U+00FF. 0 for all else: signs, spaces and names that HTML does not have. Signs are
/// those of ASCII, U+0080 to U+00BF but for U+00AA, U+00B5 and U+00BA, U+00D7, U+00F7, U+2000 to
/// U+2BFF and U+3000 to U+303F. `#128` to `#159` are Windows-1252's, as HTML has them.
char32_t referenced_letter(std::string_view reference, bool ends) noexcept;

}  // namespace crivo::extract
