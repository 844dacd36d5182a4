// SPDX-License-Identifier: Apache-2.0
#include "structures/removed_names.hpp"

namespace crivo {

RemovedNames RemovedNames::decode(base::ByteView section) {
  base::FieldReader fields(section, "section of removed names");
  const std::uint64_t names = fields.u64();
  if (names > 8 * fields.remaining()) fields.fail("ends early");
  RemovedNames removed(names);
  const base::ByteView bits = fields.take((names + 7) / 8);
  fields.expect_end();
  for (std::uint64_t i = 0; i < 8 * bits.size(); ++i) {
    if ((std::to_integer<unsigned>(bits[i / 8]) >> (i % 8) & 1) == 0) continue;
    if (i >= names) fields.fail("removes a name that there is not");
    removed.add(i);
  }
  return removed;
}

base::Bytes RemovedNames::encode() const {
  base::Bytes bits((names() + 7) / 8);
  for (std::uint64_t i = 0; i < names(); ++i) {
    if (has(i)) bits[i / 8] |= std::byte(1U << (i % 8));
  }
  base::FieldWriter out;
  out.u64(names()).bytes(bits);
  return out.take();
}

void RemovedNames::forget(std::uint64_t begin, std::uint64_t end) {
  using Offset = std::vector<bool>::difference_type;
  is_removed_.erase(is_removed_.begin() + static_cast<Offset>(begin),
                    is_removed_.begin() + static_cast<Offset>(end));
}

}  // namespace crivo
