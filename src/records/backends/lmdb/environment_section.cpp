// SPDX-License-Identifier: Apache-2.0
#include "records/backends/lmdb/environment_section.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "crivo/error.hpp"

namespace crivo::records {

base::Bytes EnvironmentSection::encode() const {
  base::FieldWriter fields;
  fields.u32(version).u32(page_size);
  for (const std::uint64_t field :
       {file_size, records, groups, units, max_group, key_seed,
        base::load_le<std::uint64_t>(content_id.data()),
        base::load_le<std::uint64_t>(content_id.data() + 8), structure_hash, file_hash}) {
    fields.u64(field);
  }
  return fields.take();
}

EnvironmentSection EnvironmentSection::decode(base::ByteView bytes) {
  base::FieldReader fields(bytes, "environment section");
  EnvironmentSection section;
  section.version = fields.u32();
  if (section.version > kStoreVersion) {
    throw Error(ErrorKind::too_new, "the record store has version " +
                                        std::to_string(section.version) +
                                        ", which this program does not know; use a newer crivo");
  }
  if (section.version != kStoreVersion) fields.fail("names an unknown version");
  section.page_size = fields.u32();
  section.file_size = fields.u64();
  section.records = fields.u64();
  section.groups = fields.u64();
  section.units = fields.u64();
  section.max_group = fields.u64();
  section.key_seed = fields.u64();
  std::ranges::copy(fields.take(section.content_id.size()), section.content_id.begin());
  section.structure_hash = fields.u64();
  section.file_hash = fields.u64();
  fields.expect_end();
  if (!std::has_single_bit(section.page_size) || section.page_size < 512 ||
      section.page_size > 32768 || section.file_size % section.page_size != 0) {
    fields.fail("has an impossible page size");
  }
  if (section.groups > section.units || section.units > section.records ||
      (section.groups == 0) != (section.records == 0)) {
    fields.fail("names impossible counts");
  }
  return section;
}

}  // namespace crivo::records
