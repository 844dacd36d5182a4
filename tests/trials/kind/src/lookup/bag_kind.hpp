// SPDX-License-Identifier: Apache-2.0
/// What is done with bags.
#pragma once

#include "crivo/bag.hpp"
#include "crivo/index.hpp"
#include "file/container.hpp"

namespace crivo::index {

void describe_bag(const file::Container& container, FileInfo& info);
std::unique_ptr<OpenIndex> open_bag(const std::filesystem::path& path, const OpenOptions& options);

}  // namespace crivo::index
