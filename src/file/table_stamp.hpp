// SPDX-License-Identifier: Apache-2.0
/// The stamp by which a file of a table is known to be as it was when it was indexed
/// (formats/rows.md).
#pragma once

#include <cstdint>
#include <filesystem>

#include "file/content_id.hpp"

namespace crivo::file {

struct TableStamp {
  std::uint64_t bytes = 0;
  std::uint64_t modified = 0;  ///< nanoseconds since 1970, as the system keeps them
  ContentId end{};             ///< the hash of the last kStampedBytes, where Parquet has its footer

  friend bool operator==(const TableStamp&, const TableStamp&) = default;
};

inline constexpr std::uint64_t kStampedBytes = 65'536;

/// Reads the stamp of a file as it is now. Throws Error(io).
TableStamp read_table_stamp(const std::filesystem::path& path);

}  // namespace crivo::file
