// SPDX-License-Identifier: Apache-2.0
/// The section that says of the files of a table how they were (formats/rows.md).
#pragma once

#include <cstdint>
#include <span>

#include "base/page_checks.hpp"
#include "file/table_stamp.hpp"

namespace crivo::tables {

base::Bytes encode_stamps(std::span<const file::TableStamp> stamps);

/// Such a section, which must outlive it: a stamp for each of `files`.
class FileStamps {
 public:
  /// Touches all of it. Throws Error(corrupt).
  FileStamps(const base::CheckedBytes& section, std::uint64_t files);
  file::TableStamp stamp(std::uint64_t file) const noexcept;

 private:
  const std::byte* stamps_;
};

}  // namespace crivo::tables
