// SPDX-License-Identifier: Apache-2.0
/// Filters of fingerprints in formats of others: a key is in the set if the fingerprints of its
/// three slots add up, by exclusive or, to its own.
///
/// binary-fuse: what binary_fuse8_serialize() and binary_fuse16_serialize() of xor_singleheader
/// write, on a little-endian machine. After Graf and Lemire, "Binary Fuse Filters", 2022.
/// datasketches-xor: family 22 of Apache DataSketches. After the same, "Xor Filters", 2020.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "hashing/key_hash.hpp"

namespace crivo::foreign {

/// Which of the two it is.
enum class FingerprintLayout : std::uint8_t { binary_fuse, datasketches_xor };

/// The finalizer of MurmurHash3, which both apply to a key's 64 bits.
constexpr std::uint64_t mixed(std::uint64_t key, std::uint64_t seed) noexcept {
  std::uint64_t hash = key + seed;
  hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdU;
  hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53U;
  return hash ^ hash >> 33;
}

/// Where fingerprints lie, and how many bits they have.
struct FingerprintShape {
  FingerprintLayout layout = FingerprintLayout::binary_fuse;
  unsigned bytes = 1;  ///< of a fingerprint, 1 or 2
  std::uint64_t seed = 0;
  std::uint32_t keys = 0;
  std::uint32_t segment = 0;        ///< slots; of binary-fuse a power of two
  std::uint32_t segment_count = 1;  ///< of binary-fuse those that a key's first slot may be in

  std::uint64_t slots() const noexcept {
    const std::uint64_t segments =
        layout == FingerprintLayout::binary_fuse ? std::uint64_t{segment_count} + 2 : 3;
    return segments * segment;
  }
  /// The slots of a key, by its hash.
  std::array<std::uint64_t, 3> slots_of(std::uint64_t hash) const noexcept {
    if (layout == FingerprintLayout::datasketches_xor)
      return {within(hash), segment + within(std::rotl(hash, 21)),
              2 * std::uint64_t{segment} + within(std::rotl(hash, 42))};
    __extension__ using Product = unsigned __int128;
    const std::uint64_t starts = std::uint64_t{segment_count} * segment;
    const auto first = static_cast<std::uint64_t>(Product{hash} * starts >> 64);
    const std::uint64_t mask = segment - 1;
    return {first, (first + segment) ^ (hash >> 18 & mask),
            (first + 2 * std::uint64_t{segment}) ^ (hash & mask)};
  }
  std::uint32_t fingerprint_of(std::uint64_t hash) const noexcept {
    const std::uint64_t folded = hash ^ hash >> 32;
    return static_cast<std::uint32_t>(folded & ((std::uint64_t{1} << 8 * bytes) - 1));
  }

 private:
  /// A place in a segment, by the lowest 32 bits.
  std::uint64_t within(std::uint64_t hash) const noexcept {
    return (hash & 0xffffffff) * segment >> 32;
  }
};

/// The head of a file. Nothing, where the first bytes and the length are not those of one: neither
/// has a checksum, and binary-fuse no magic number either.
std::optional<FingerprintShape> read_shape(base::ByteView first, std::uint64_t file_bytes) noexcept;
/// Bytes of the head.
std::size_t head_bytes(FingerprintLayout layout) noexcept;
base::Bytes encode_head(const FingerprintShape& shape);

/// The fingerprint in a slot.
inline std::uint32_t fingerprint_at(const FingerprintShape& shape, base::ByteView fingerprints,
                                    std::uint64_t slot) noexcept {
  if (shape.bytes == 1) return std::to_integer<std::uint32_t>(fingerprints[slot]);
  return base::load_le<std::uint16_t>(fingerprints.data() + 2 * slot);
}

/// Whether a key, by its 64 bits, is in the set that fingerprints stand for.
bool contains(const FingerprintShape& shape, base::ByteView fingerprints,
              std::uint64_t key) noexcept;

/// Returns the 64 bits of a key: for datasketches-xor the XXH64 of its bytes, as XorFilter's
/// update(byte[]) and, of text in UTF-8, update(String) have it; for binary-fuse the number that
/// its 8 bytes are, the lowest first. Throws Error(bad_input) with the line for a key of any other
/// length.
std::uint64_t number_of_key(FingerprintLayout layout, std::string_view key, std::uint64_t line);

}  // namespace crivo::foreign
