// SPDX-License-Identifier: Apache-2.0
#include "records/identity.hpp"

#include <algorithm>
#include <string_view>

namespace crivo::records {

namespace {
constexpr std::string_view kMagic = "CRIVOENV";
}

base::Bytes Identity::encode() const {
  base::FieldWriter fields;
  fields.bytes(base::as_bytes(kMagic)).u32(version).u32(0).bytes(content_id).u64(records);
  return fields.take();
}

std::optional<Identity> Identity::decode(base::ByteView bytes) noexcept {
  if (bytes.size() != kSize || base::as_text(bytes.first(kMagic.size())) != kMagic ||
      base::load_le<std::uint32_t>(bytes.data() + 12) != 0) {
    return std::nullopt;
  }
  Identity identity;
  identity.version = base::load_le<std::uint32_t>(bytes.data() + 8);
  std::ranges::copy(bytes.subspan(16, 16), identity.content_id.begin());
  identity.records = base::load_le<std::uint64_t>(bytes.data() + 32);
  return identity;
}

}  // namespace crivo::records
