#include "store/identity.hpp"

#include <algorithm>
#include <string_view>

namespace crivo::store {

namespace {
constexpr std::string_view kMagic = "CRIVOENV";
}

file::Bytes Identity::encode() const {
  file::FieldWriter fields;
  fields.bytes(file::as_bytes(kMagic)).u32(version).u32(0).bytes(content_id).u64(records);
  return fields.take();
}

std::optional<Identity> Identity::decode(file::ByteView bytes) noexcept {
  if (bytes.size() != kSize || file::as_text(bytes.first(kMagic.size())) != kMagic ||
      file::load_le<std::uint32_t>(bytes.data() + 12) != 0) {
    return std::nullopt;
  }
  Identity identity;
  identity.version = file::load_le<std::uint32_t>(bytes.data() + 8);
  std::ranges::copy(bytes.subspan(16, 16), identity.content_id.begin());
  identity.records = file::load_le<std::uint64_t>(bytes.data() + 32);
  return identity;
}

}  // namespace crivo::store
