/// Looks up codewords in a one-bit ribbon.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "structures/csf/code_bits.hpp"
#include "structures/csf/rows.hpp"

namespace crivo::csf {

/// Over mapped bytes that must outlive it. Whatever they hold, no byte outside them is read.
class CodeRibbon {
 public:
  /// The keys that one call can look up.
  static constexpr std::size_t kBatch = 32;

  /// `bytes` are the ribbon, after which at least 8 more can be read. Throws Error(corrupt) if it
  /// is unsound. O(partitions).
  CodeRibbon(const Shape& shape, base::ByteView bytes);

  /// The key's codeword, in the lowest bits; what is above it means nothing.
  std::uint32_t bits(Hash128 hash) const noexcept {
    const Place place = find(hash);
    std::uint32_t result;
    read_bits_(&place, 1, &result);
    return result;
  }
  /// results[i] = bits(hashes[i]) for up to kBatch keys, with the cache misses overlapped.
  void bits(std::span<const Hash128> hashes, std::uint32_t* results) const noexcept;

 private:
  struct Layer {
    std::uint64_t starts;         // 0: there is no such layer
    const std::byte* slots;       // a bit each
    const std::byte* thresholds;  // two bits a bucket
  };

  Place find(Hash128 hash) const noexcept;

  ReadBits read_bits_;
  unsigned partition_bits_;
  unsigned bucket_bits_;
  std::array<std::uint16_t, 4> thresholds_;
  std::vector<std::array<Layer, kLayers>> partitions_;
};

}  // namespace crivo::csf
