// SPDX-License-Identifier: Apache-2.0
/// What the trusted comment of a signature of ours says of the file.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "file/content_id.hpp"

namespace crivo::trust {

struct Statement {
  std::uint64_t bytes = 0;                ///< the length of the file
  std::optional<file::Digest> root{};     ///< nothing where the file has no hash tree
  std::optional<file::Digest> records{};  ///< of the file of a store's records
  std::uint64_t sequence = 0;
  std::optional<std::chrono::sys_seconds> expires{};

  friend bool operator==(const Statement&, const Statement&) = default;
};

/// "crivo 1 root=HEX records=HEX bytes=N sequence=N expires=TIME", of which what is not set, and a
/// sequence of 0, is left out.
std::string comment_of(const Statement& statement);

/// Nothing for a comment that does not begin with "crivo ". Throws Error(corrupt), or
/// Error(too_new) for one of a later version or with a field that is unknown; the message begins
/// with `name`.
std::optional<Statement> parse_comment(std::string_view comment, const std::string& name);

}  // namespace crivo::trust
