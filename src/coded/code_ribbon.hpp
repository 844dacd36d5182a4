/// Looks up codewords in a level's one-bit ribbon.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "coded/rows.hpp"
#include "coded/section.hpp"
#include "crivo/hash.hpp"
#include "file/bytes.hpp"

namespace crivo::coded {

/// Over mapped bytes that must outlive it. Whatever they hold, no byte outside them is read.
class CodeRibbon {
 public:
  /// Where a key's rows lie.
  struct Place {
    const std::byte* bytes;  ///< of the first row's first slot
    unsigned shift;          ///< that slot's bit
    Coefficients coefficients;
  };

  /// Takes the rest of a level's body, in which the partitions' bodies begin at the next multiple
  /// of 64. Throws Error(corrupt) if it is unsound. O(partitions).
  CodeRibbon(const LevelEntry& entry, file::ByteView body, std::uint64_t position);

  Place find(Hash128 hash) const noexcept;

 private:
  struct Layer {
    std::uint64_t starts;         // 0: there is no such layer
    const std::byte* slots;       // a bit each
    const std::byte* thresholds;  // two bits a bucket
  };

  unsigned partition_bits_;
  std::vector<std::array<Layer, kLayers>> partitions_;
};

}  // namespace crivo::coded
