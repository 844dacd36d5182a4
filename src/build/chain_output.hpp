// SPDX-License-Identifier: Apache-2.0
/// The steps that writing a chain of any kind shares.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "crivo/error.hpp"
#include "file/output_target.hpp"

namespace crivo::exact {

inline file::IfExists if_exists(bool replace) noexcept {
  return replace ? file::IfExists::replace : file::IfExists::refuse;
}

/// The name of a file below the folder of a chain. Throws Error(usage) for one that lies elsewhere.
std::string link_name(const std::filesystem::path& folder, const std::filesystem::path& file);

/// Warns of a signature beside the output, which is of what was there before.
void warn_of_signature(const std::filesystem::path& output, std::vector<Warning>& warnings);

}  // namespace crivo::exact
