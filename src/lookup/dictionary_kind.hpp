// SPDX-License-Identifier: Apache-2.0
/// What inspect() and verify() do with a dictionary, as describe_kinds.hpp has it of other kinds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "crivo/index.hpp"
#include "crivo/inspect.hpp"
#include "file/container.hpp"
#include "lookup/opened.hpp"

namespace crivo::index {

void describe_dictionary(const file::Container& container, FileInfo& info);
/// Checks that the nodes of the directory are well-formed.
void verify_dictionary(const file::Container& container, unsigned threads,
                       const std::function<void(std::uint64_t)>& progress);
std::unique_ptr<OpenIndex> open_dictionary(const std::filesystem::path& path,
                                           const OpenOptions& options);
}  // namespace crivo::index
