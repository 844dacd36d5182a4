/// Where a store's files are.
#pragma once

#include <filesystem>

#include "file/container.hpp"
#include "file/generation.hpp"
#include "index/store_files.hpp"

namespace crivo::test {

/// The environment that the index file in `directory` leads to, there or not. Throws as
/// Container::open() does.
inline std::filesystem::path data_file(const std::filesystem::path& directory) {
  return directory /
         file::generation_name(index::kEnvironmentFamily,
                               file::Container::open(directory / index::kIndexName).digest());
}

}  // namespace crivo::test
