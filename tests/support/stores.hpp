// SPDX-License-Identifier: Apache-2.0
/// Where a store's files are.
#pragma once

#include <filesystem>

#include "file/container.hpp"
#include "file/names.hpp"
#include "lookup/store_files.hpp"

namespace crivo::test {

/// The data file that the index file in `directory` leads to, there or not. Throws as
/// Container::open() does.
inline std::filesystem::path data_file(const std::filesystem::path& directory) {
  const auto opened = file::Container::open(directory / index::kIndexName);
  return directory / file::generation_name(records::backend_of(opened).family, opened.digest());
}

}  // namespace crivo::test
