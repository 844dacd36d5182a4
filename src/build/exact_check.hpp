// SPDX-License-Identifier: Apache-2.0
/// Whether an exact set answers rightly for its members and its universe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/progress.hpp"
#include "crivo/build/keys.hpp"
#include "file/container.hpp"

namespace crivo::index {

/// Throws Error(mismatch) where a key of `members` is not answered `member`, another key of its
/// universe (if there is one) is, or the set has another number of members. Returns the number of
/// distinct members. 24 bytes of memory or temporary disk for each of them, and for each key of the
/// universe that is answered `member`.
std::uint64_t check_exact_set(const file::Container& container, const KeyInput& members,
                              const std::string& group_delimiter, std::uint64_t memory_bytes,
                              const std::filesystem::path& temp_dir,
                              const base::BuildContext& context);

}  // namespace crivo::index
