// SPDX-License-Identifier: Apache-2.0
#include "structures/tables/file_stamps.hpp"

#include <algorithm>

#include "base/bytes.hpp"

namespace crivo::tables {
namespace {

constexpr std::uint64_t kStampBytes = 32;

}  // namespace

base::Bytes encode_stamps(std::span<const file::TableStamp> stamps) {
  base::FieldWriter out;
  for (const file::TableStamp& stamp : stamps)
    out.u64(stamp.bytes).u64(stamp.modified).bytes(stamp.end);
  return out.take();
}

FileStamps::FileStamps(const base::CheckedBytes& section, std::uint64_t files) {
  base::FieldReader fields(section, "section of row stamps");
  if (files > fields.remaining() / kStampBytes) fields.fail("ends early");
  stamps_ = fields.take_touched(kStampBytes * files).data();
  fields.expect_end();
}

file::TableStamp FileStamps::stamp(std::uint64_t file) const noexcept {
  const std::byte* const at = stamps_ + kStampBytes * file;
  file::TableStamp stamp{.bytes = base::load_le<std::uint64_t>(at),
                         .modified = base::load_le<std::uint64_t>(at + 8)};
  std::copy_n(at + 16, stamp.end.size(), stamp.end.begin());
  return stamp;
}

}  // namespace crivo::tables
