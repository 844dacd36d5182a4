// SPDX-License-Identifier: Apache-2.0
/// The files that an index of rows names, as a section of its file.
#pragma once

#include "file/container.hpp"
#include "structures/tables/file_list.hpp"

namespace crivo::tables {

/// Throws Error(corrupt), named after the container, which must outlive it.
inline FileList open_file_list(const file::Container& container) {
  const base::ByteView section = container.require(file::kRowFilesSection, "row files");
  return file::naming(container.name(), [&] { return FileList(container.touched(section)); });
}

}  // namespace crivo::tables
