// SPDX-License-Identifier: Apache-2.0
/// The names of a generation's files, where one file of a fixed name, the pointer, says which
/// generation is the one in use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "file/content_id.hpp"

namespace crivo::file {

/// "data.mdb" of the generation whose index has this digest: "data-<its first 16 hex digits>.mdb".
std::string generation_name(std::string_view family, const Digest& digest);

/// The name without a generation's id: "data.mdb" of "data-0123456789abcdef.mdb"; any other name is
/// its own family.
std::string family_of(std::string_view name);

/// The 16 digits of "data-0123456789abcdef.mdb"; none of a name that is its own family.
std::string_view generation_of(std::string_view name) noexcept;

/// Whether the name's family is one of these.
bool is_member(std::string_view name, const std::vector<std::string>& families);

}  // namespace crivo::file
