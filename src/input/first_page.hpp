// SPDX-License-Identifier: Apache-2.0
/// The true format of a file that is taken for lines of text, by its first bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace crivo::input {

/// So many bytes tell.
inline constexpr std::size_t kFirstPageBytes = 512;

/// UTF-8's, which is no part of a text that begins with it.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Returns the format of a file that begins with `page` and is no lines, as in "a tar archive": an
/// archive, a column file, a database, text of another encoding, a collection of pages, compressed
/// data. Nothing for what may be lines. `decompressed`: the page was, so that what is compressed
/// still is so twice.
std::optional<std::string_view> other_format(std::string_view page, bool decompressed) noexcept;

/// Throws Error(bad_input) that names the file `name` and its format, where it has another one.
void refuse_other_format(const std::string& name, std::string_view page, bool decompressed);

}  // namespace crivo::input
