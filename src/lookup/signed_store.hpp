// SPDX-License-Identifier: Apache-2.0
/// What is signed of a path that a user names.
#pragma once

#include <filesystem>
#include <string>

#include "lookup/store_files.hpp"

namespace crivo::index {

/// The file that has the signature: of a store's directory, its index.
std::filesystem::path signed_file(const std::filesystem::path& path);

/// The last part of the path, by which its sequence is kept.
std::string signed_name(const std::filesystem::path& path);

/// Throws Error(usage) for a store with records that no signature of its index covers. `what` is
/// "be signed" and the like.
void refuse_uncovered(const StoreFiles& files, const char* what);

}  // namespace crivo::index
