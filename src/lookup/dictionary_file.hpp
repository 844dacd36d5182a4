// SPDX-License-Identifier: Apache-2.0
/// A dictionary as the sections of a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "crivo/index.hpp"
#include "crivo/inspect.hpp"
#include "file/container.hpp"
#include "lookup/opened.hpp"
#include "structures/dictionary/fuzzy.hpp"
#include "structures/dictionary/hashed_ids.hpp"
#include "structures/dictionary/reader.hpp"

namespace crivo::index {

void describe_dictionary(const file::Container& container, FileInfo& info);
/// Checks that the nodes of the directory are well-formed.
void verify_dictionary(const file::Container& container, unsigned threads,
                       const std::function<void(std::uint64_t)>& progress);
std::unique_ptr<OpenIndex> open_dictionary(const std::filesystem::path& path,
                                           const OpenOptions& options);
}  // namespace crivo::index

namespace crivo::dictionary {

/// A dictionary over a container that must outlive it. Throws Error(corrupt), named after it.
Reader open_dictionary(const file::Container& container);
/// Checks the directory, as verify() does beside the container's sums. Throws Error(corrupt), named
/// after the container, where a node is malformed.
void check_directory(const Reader& reader, const file::Container& container);
/// Its hashed ids; nothing where it has none. Likewise.
std::optional<HashedIds> open_hashed(const file::Container& container);

}  // namespace crivo::dictionary
