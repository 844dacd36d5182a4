// SPDX-License-Identifier: Apache-2.0
/// Writes the section that tables::FileList reads.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.hpp"

namespace crivo::tables {

/// A file, with how many rows it has.
struct FileRows {
  std::string_view name;
  std::uint64_t rows = 0;
  std::span<const std::uint64_t> groups{};  ///< the rows of each row group, if these are known
};

/// Files in the order of their names, which differ; and how many rows had no key.
base::Bytes encode_files(std::span<const FileRows> files, bool has_groups, std::uint64_t null_keys);

}  // namespace crivo::tables
