/// Where the row of a key lies in a section of the partitioned form.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "bits/arithmetic.hpp"
#include "hashing/hash128.hpp"
#include "structures/ribbon/header.hpp"
#include "structures/ribbon/rows.hpp"

namespace crivo::ribbon {

/// Where a key's row lies: the slots of a block that its coefficients select, and those of the
/// blocks after it. With blocks of 64, `beyond` are those of the next one; with blocks of 8, `here`
/// has eight blocks in its bytes and `beyond` is the ninth.
struct Row {
  const std::byte* block;
  std::uint64_t here;
  std::uint64_t beyond;
};

/// The layers of all partitions, resting on bytes that must outlive them. Any row lies within those
/// bytes, and so do end_padding() bytes after its last block but one.
class Layers {
 public:
  /// Those of a section with that header, which is not of the small-set form. Throws Error(corrupt)
  /// if they are unsound. O(partitions).
  Layers(const Header& header, base::ByteView section);

  Layout layout() const noexcept { return layout_; }
  unsigned width() const noexcept { return width_; }

  /// Whether the first layer holds the key with the hash (hi, lo); if so, `row` is its row.
  /// `kLayout` and `width` are those of the layers, which kernels know better.
  template <Layout kLayout>
  [[gnu::always_inline]] inline bool find_first(std::uint64_t hi, std::uint64_t lo, unsigned width,
                                                Row& row) const noexcept {
    const Layer& layer = first_layers_[bits::mulhi(hi, partitions_)];
    return find_in<kLayout>(layer, hi * partitions_, lo, width, row);
  }
  /// The row of a key that the first layer does not hold; if no other holds it, one with value 0.
  template <Layout kLayout>
  Row find_bumped(Hash128 hash) const noexcept;

 private:
  struct alignas(32) Layer {
    std::uint64_t starts;
    const std::byte* slots;       // blocks
    const std::byte* thresholds;  // two bits a bucket
  };

  /// Whether the layer holds the key that it sees as (hi, lo); if so, `row` is its row there.
  template <Layout kLayout>
  [[gnu::always_inline]] static inline bool find_in(const Layer& layer, std::uint64_t hi,
                                                    std::uint64_t lo, unsigned width,
                                                    Row& row) noexcept {
    const std::uint64_t start = bits::mulhi(hi, layer.starts);
    const auto four = std::to_integer<unsigned>(layer.thresholds[start / (4 * kBucketStarts)]);
    const unsigned threshold = kThresholds[(four >> (start / kBucketStarts % 4 * 2)) & 3];
    const std::uint64_t shift = start % block_slots(kLayout);
    row = {layer.slots + start / block_slots(kLayout) * block_bytes(kLayout, width),
           coefficients({hi, lo}) << shift, (coefficients({hi, lo}) >> 1) >> (63 - shift)};
    return start % kBucketStarts >= threshold;
  }

  Layout layout_;
  unsigned width_;
  std::uint64_t partitions_;         // a power of two
  std::vector<Layer> first_layers_;  // of each partition: they hold nearly all keys
  std::vector<std::array<Layer, kLayers - 1>> further_layers_;
};

extern template Row Layers::find_bumped<Layout::blocks_of_64>(Hash128) const noexcept;
extern template Row Layers::find_bumped<Layout::blocks_of_8>(Hash128) const noexcept;

}  // namespace crivo::ribbon
