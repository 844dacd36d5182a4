// SPDX-License-Identifier: Apache-2.0
#include "structures/filter_set/header.hpp"

#include "structures/bloom/cells.hpp"
#include "structures/fuse/graph.hpp"
#include "structures/split_block/split_block.hpp"

namespace crivo::filter_set {

base::Bytes Header::encode() const {
  const unsigned parameter = has_ribbons(type) ? width.bits : hashes;
  base::FieldWriter w;
  w.u32(static_cast<std::uint32_t>(type)).u32(parameter);
  w.u64(type == Type::ribbon ? width.narrow : 0);
  w.u64(rate).u64(groups).u64(cells).u64(name_bytes);
  return w.align(kHeaderBytes).take();
}

Header Header::decode(base::ByteView section) {
  base::FieldReader r(section, "groups section");
  Header header;
  header.type = static_cast<Type>(r.u32());
  const unsigned parameter = r.u32();
  const std::uint32_t narrow = r.u32();
  r.zeros(4);
  header.rate = r.u64();
  header.groups = r.u64();
  header.cells = r.u64();
  header.name_bytes = r.u64();
  r.align(kHeaderBytes);
  switch (header.type) {
    case Type::ribbon:
    case Type::fuse:
      if (parameter < 1 || parameter > 32) r.fail("has a width that is not 1 to 32");
      header.width = {parameter, narrow};
      break;
    case Type::split_block:
      if (parameter != 0) r.fail("has probes, which its type does not have");
      break;
    case Type::bloom:
      if (parameter < 1 || parameter > filter::kMaxHashes) r.fail("impossible number of hashes");
      header.hashes = parameter;
      break;
    default:
      r.fail("has filters of an unknown type");
  }
  if (header.type != Type::ribbon && narrow != 0) r.fail("has rows of two widths without rows");
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  if (header.groups > kMost || header.cells > kMost || header.name_bytes > 256 * kMost)
    r.fail("has impossible numbers of groups, cells or bytes of names");
  return header;
}

std::uint64_t bytes_of(const Header& header, std::uint64_t units) noexcept {
  switch (header.type) {
    case Type::ribbon:
      if (units == 0) return 0;
      return ribbon::layer_bytes(header.width, ribbon::kBlockSlots * units,
                                 ribbon::small_starts(ribbon::kBlockSlots * units));
    case Type::fuse: {
      if (units < kGraphUnits) return header.width.bits * units;
      const std::uint64_t bits = units >> kGraphUnitBits;
      const std::uint64_t segments = units % kGraphUnits;
      if (bits < fuse::kMinSegmentBits || segments < kFuseArity) return 0;
      return header.width.bits * (segments << bits) / 8;
    }
    case Type::split_block:
      return filter::split_block::kBlockBytes * units;
    default:
      return units;
  }
}

}  // namespace crivo::filter_set
