// SPDX-License-Identifier: Apache-2.0
#include "structures/tables/build/encode_files.hpp"

namespace crivo::tables {

base::Bytes encode_files(std::span<const FileRows> files, bool has_groups,
                         std::uint64_t null_keys) {
  std::uint64_t rows = 0;
  std::uint64_t groups = 0;
  for (const FileRows& file : files) {
    rows += file.rows;
    groups += file.groups.size();
  }
  base::FieldWriter section;
  section.u8(has_groups ? 1 : 0).zeros(7).u64(files.size()).u64(rows).u64(groups).u64(null_keys);
  section.align(64);
  std::uint64_t sum = 0;
  for (const FileRows& file : files) {
    section.u64(sum);
    sum += file.rows;
  }
  sum = 0;
  for (const FileRows& file : files) section.u64(sum += file.name.size());
  sum = 0;
  for (const FileRows& file : files) {
    if (has_groups) section.u64(sum += file.groups.size());
  }
  sum = 0;
  for (const FileRows& file : files) {
    for (const std::uint64_t group : file.groups) {
      section.u64(sum);
      sum += group;
    }
  }
  for (const FileRows& file : files) section.bytes(base::as_bytes(file.name));
  return section.take();
}

}  // namespace crivo::tables
