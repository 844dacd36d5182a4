// SPDX-License-Identifier: Apache-2.0
#include "shards/partition_id.hpp"

#include <cstdint>
#include <string>

#include "base/bytes.hpp"

namespace crivo::index {

file::ContentId plan_id(const KeyInput& input, const std::vector<Stamp>& stamps,
                        const PartitionOptions& partition, const BuildOptions& options,
                        const input::RowFiles* rows) {
  base::FieldWriter w;
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    w.u64(input.paths[i].size())
        .bytes(base::as_bytes(input.paths[i]))
        .u64(stamps[i] ? stamps[i]->size : 0);
  }
  const KeyFormat& format = input.format;
  w.u8(static_cast<std::uint8_t>(format.framing)).u32(format.width).u8(format.strip_cr ? 1 : 0);
  w.u8(format.binary_lines ? 1 : 0);
  w.u32(format.key_column).u32(format.value_column).u32(format.row_column);
  w.u8(static_cast<std::uint8_t>(format.column_delimiter)).u8(format.quotes ? 1 : 0);
  w.u8(format.skip_header ? 1 : 0).u8(format.hex ? 1 : 0);
  for (const std::string& name : {format.key_name, format.value_name, format.row_name,
                                  format.json_key, format.json_value, format.json_row}) {
    w.u64(name.size()).bytes(base::as_bytes(name));
  }
  for (const std::string& key : format.leading_keys) w.u64(key.size()).bytes(base::as_bytes(key));
  w.u8(format.allow_empty ? 1 : 0).u64(partition.shards).u8(partition.values ? 1 : 0);
  w.u8(static_cast<std::uint8_t>(partition.form.type)).u32(partition.form.scale);
  w.bytes(base::as_bytes(partition.hash)).u64(partition.part.count).u64(options.seed);
  w.u8(options.keyed_hash ? 1 : 0).u8(options.ignore_duplicates ? 1 : 0);
  w.u8(partition.records ? 1 : 0).u8(static_cast<std::uint8_t>(partition.repeated));
  if (partition.grouped) w.u8(1).bytes(base::as_bytes(partition.group_delimiter));
  w.u8(partition.numbers ? 1 : 0)
      .u8(partition.texts ? 1 : 0)
      .bytes(base::as_bytes(partition.prefixes));
  if (rows != nullptr) {
    w.u8(partition.rows->many ? 1 : 0)
        .u32(partition.rows->fixed)
        .bytes(base::as_bytes(partition.rows->null_text));
    for (const input::RowFile& file : rows->files()) {  // those that are known
      w.u64(file.name.size()).bytes(base::as_bytes(file.name)).u64(file.groups.size());
      for (const std::uint64_t group : file.groups) w.u64(group);
    }
  }
  return file::content_hash(w.view());
}

file::ContentId input_id(const KeyInput& input, const std::vector<Stamp>& stamps,
                         const std::optional<input::InputPart>& part) {
  if (input.source) return {};
  base::FieldWriter w;
  for (std::size_t i = 0; part && i < stamps.size(); ++i) {
    if (i < part->first_file || i > part->last_file) continue;
    if (!stamps[i]) return {};
    constexpr std::int64_t kSecond = 1'000'000'000;  // nanoseconds
    w.u64(i).u64(stamps[i]->size);
    w.u64(static_cast<std::uint64_t>(stamps[i]->changed / kSecond));
    w.u64(static_cast<std::uint64_t>(stamps[i]->changed % kSecond));
    w.u64(part->begin_in(i)).u64(part->end_in(i));
  }
  return file::content_hash(w.view());
}

}  // namespace crivo::index
