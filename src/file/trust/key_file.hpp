// SPDX-License-Identifier: Apache-2.0
/// The small text files of minisign, and base64, in which it writes keys and signatures.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace crivo::trust {

/// The beginning of the first line of public keys and of signatures.
inline constexpr std::string_view kUntrustedComment = "untrusted comment: ";

/// The text of a file; nothing where it is longer than `most` bytes. Throws Error(io).
std::optional<std::string> read_text(const std::filesystem::path& path, std::size_t most);

/// Takes the first line, which LF or CR LF ends, from `text`. Nothing if none ends.
std::optional<std::string_view> take_line(std::string_view& text);

/// The line after the comment of a file of a key. Nothing if the text is not of that form.
std::optional<std::string_view> key_line(std::string_view text);

/// A key's or signature's number as minisign prints it: 16 hexadecimal digits in upper case.
std::string key_id_text(std::uint64_t id);

/// With padding, on one line (RFC 4648, section 4).
std::string to_base64(base::ByteView bytes);

/// Fills `bytes` from the one text that to_base64() makes of them; false for any other text, with
/// `bytes` changed or not.
bool from_base64(std::string_view text, std::span<std::byte> bytes) noexcept;

}  // namespace crivo::trust
