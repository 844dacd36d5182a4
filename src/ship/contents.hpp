// SPDX-License-Identifier: Apache-2.0
/// The list of a published set of files: formats/published.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "file/content_id.hpp"

namespace crivo::file {

struct PublishedFile {
  std::string name;  ///< parts joined by "/"
  std::uint64_t bytes = 0;
  Digest sha256{};  ///< of all bytes, unlike the root of a hash tree
};

/// In the order of their names, each once.
using Contents = std::vector<PublishedFile>;

/// A list is at most so long.
inline constexpr std::uint64_t kMostContentsBytes = std::uint64_t{16} << 20;
/// Names of files in a published directory, and of the list and its signature where they are
/// fetched to.
inline constexpr std::string_view kCurrentName = "current.minisig";
inline constexpr std::string_view kContentsName = "contents";
std::string contents_name(std::uint64_t sequence);
std::string object_name(const Digest& sha256);

/// Whether a list may have the name: no part of it is hidden, leads elsewhere or looks like an
/// option, it is UTF-8 without backslashes and all that escape() lets not pass, and not the one of
/// the list.
bool is_published_name(std::string_view name);

std::string encode(const Contents& contents);
/// Throws Error(corrupt), which begins with `name`; also if the lengths sum up to 2^63 or more.
Contents decode_contents(std::string_view text, const std::string& name);

}  // namespace crivo::file
