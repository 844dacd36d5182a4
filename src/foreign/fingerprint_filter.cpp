// SPDX-License-Identifier: Apache-2.0
#include "foreign/fingerprint_filter.hpp"

namespace crivo::foreign {
namespace {

// DataSketches: words of a head, version, family.
constexpr std::uint8_t kPreambleWords = 3;
constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kFamily = 22;
constexpr std::uint8_t kHashes = 3;
constexpr std::size_t kSketchHead = 24;
constexpr std::size_t kFuseHead = 28;

std::uint8_t byte_at(base::ByteView bytes, std::size_t at) noexcept {
  return std::to_integer<std::uint8_t>(bytes[at]);
}

std::optional<FingerprintShape> read_sketch(base::ByteView first,
                                            std::uint64_t file_bytes) noexcept {
  if (first.size() < kSketchHead || byte_at(first, 0) != kPreambleWords ||
      byte_at(first, 1) != kVersion || byte_at(first, 2) != kFamily || byte_at(first, 5) != kHashes)
    return {};
  const std::uint8_t bits = byte_at(first, 4);
  if (bits != 8 && bits != 16) return {};
  FingerprintShape shape{.layout = FingerprintLayout::datasketches_xor, .bytes = bits / 8U};
  shape.seed = base::load_le<std::uint64_t>(first.data() + 8);
  shape.segment = base::load_le<std::uint32_t>(first.data() + 16);
  shape.keys = base::load_le<std::uint32_t>(first.data() + 20);
  if (shape.segment == 0 || file_bytes - kSketchHead < shape.slots() * shape.bytes) return {};
  return shape;
}

std::optional<FingerprintShape> read_fuse(base::ByteView first, std::uint64_t file_bytes) noexcept {
  if (first.size() < kFuseHead) return {};
  const auto field = [&](std::size_t i) {
    return base::load_le<std::uint32_t>(first.data() + 8 + 4 * i);
  };
  FingerprintShape shape;
  shape.seed = base::load_le<std::uint64_t>(first.data());
  shape.keys = field(0);
  shape.segment = field(1);
  shape.segment_count = field(2);
  const std::uint64_t slots = field(4);
  const std::uint64_t bytes = file_bytes - kFuseHead;
  if (!std::has_single_bit(shape.segment) || shape.segment_count == 0 || slots != shape.slots() ||
      field(3) != slots - 2 * std::uint64_t{shape.segment} ||
      (bytes != slots && bytes != 2 * slots))
    return {};
  shape.bytes = bytes == slots ? 1 : 2;
  return shape;
}

}  // namespace

std::optional<FingerprintShape> read_shape(base::ByteView first,
                                           std::uint64_t file_bytes) noexcept {
  if (first.size() > file_bytes) return {};
  const std::optional<FingerprintShape> sketch = read_sketch(first, file_bytes);
  return sketch ? sketch : read_fuse(first, file_bytes);
}

std::size_t head_bytes(FingerprintLayout layout) noexcept {
  return layout == FingerprintLayout::binary_fuse ? kFuseHead : kSketchHead;
}

base::Bytes encode_head(const FingerprintShape& shape) {
  base::Bytes bytes(head_bytes(shape.layout));
  if (shape.layout == FingerprintLayout::datasketches_xor) {
    bytes[0] = std::byte{kPreambleWords};
    bytes[1] = std::byte{kVersion};
    bytes[2] = std::byte{kFamily};
    bytes[4] = static_cast<std::byte>(8 * shape.bytes);
    bytes[5] = std::byte{kHashes};
    base::store_le(bytes.data() + 8, shape.seed);
    base::store_le(bytes.data() + 16, shape.segment);
    base::store_le(bytes.data() + 20, shape.keys);
    return bytes;
  }
  const auto slots = static_cast<std::uint32_t>(shape.slots());
  base::store_le(bytes.data(), shape.seed);
  base::store_le(bytes.data() + 8, shape.keys);
  base::store_le(bytes.data() + 12, shape.segment);
  base::store_le(bytes.data() + 16, shape.segment_count);
  base::store_le(bytes.data() + 20, slots - 2 * shape.segment);
  base::store_le(bytes.data() + 24, slots);
  return bytes;
}

bool contains(const FingerprintShape& shape, base::ByteView fingerprints,
              std::uint64_t key) noexcept {
  const std::uint64_t hash = mixed(key, shape.seed);
  std::uint32_t sum = shape.fingerprint_of(hash);
  for (const std::uint64_t at : shape.slots_of(hash))
    sum ^= fingerprint_at(shape, fingerprints, at);
  return sum == 0;
}

}  // namespace crivo::foreign
