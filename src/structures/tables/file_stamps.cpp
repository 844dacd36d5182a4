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

RemovedFiles RemovedFiles::decode(base::ByteView section) {
  base::FieldReader fields(section, "section of removed files");
  const std::uint64_t files = fields.u64();
  if (files > 8 * fields.remaining()) fields.fail("ends early");
  RemovedFiles removed(files);
  const base::ByteView bits = fields.take((files + 7) / 8);
  fields.expect_end();
  for (std::uint64_t i = 0; i < 8 * bits.size(); ++i) {
    if ((std::to_integer<unsigned>(bits[i / 8]) >> (i % 8) & 1) == 0) continue;
    if (i >= files) fields.fail("removes a file that there is not");
    removed.add(i);
  }
  return removed;
}

base::Bytes RemovedFiles::encode() const {
  base::Bytes bits((files() + 7) / 8);
  for (std::uint64_t i = 0; i < files(); ++i) {
    if (has(i)) bits[i / 8] |= std::byte(1U << (i % 8));
  }
  base::FieldWriter out;
  out.u64(files()).bytes(bits);
  return out.take();
}

void RemovedFiles::forget(std::uint64_t begin, std::uint64_t end) {
  using Offset = std::vector<bool>::difference_type;
  is_removed_.erase(is_removed_.begin() + static_cast<Offset>(begin),
                    is_removed_.begin() + static_cast<Offset>(end));
}

}  // namespace crivo::tables
