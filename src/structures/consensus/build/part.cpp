// SPDX-License-Identifier: Apache-2.0
#include "structures/consensus/build/part.hpp"

#include <algorithm>

#include "structures/mphf.hpp"

namespace crivo::consensus {

PartBuilder::PartBuilder(const Parameters& parameters, const Spacing& spacing)
    : shape_(parameters.shape),
      spacing_(spacing),
      search_(parameters.shape, parameters.free_bits, kernel(base::cpu())),
      materials_(shape_.keys()) {}

Part PartBuilder::build(std::span<const Hash128> hashes) {
  const auto buckets = static_cast<std::uint16_t>(
      std::min<std::uint64_t>(hashes.size() >> shape_.log_keys, shape_.max_buckets()));
  const auto in_buckets = hashes.first(std::uint64_t{buckets} << shape_.log_keys);
  trees_.resize(buckets * (shape_.tree_bits() / 8));
  columns_.resize((std::uint64_t{buckets} << (shape_.log_keys - 4)) + kExtraColumnBytes);

  Part part;
  base::FieldWriter fields;
  const auto boundaries =
      buckets == 0 ? std::nullopt : Boundaries::write(hashes, spacing_, buckets, fields);
  std::uint8_t salt = 0;
  if (boundaries) {
    while (salt <= kMaxSalt && !try_salt(in_buckets, salt)) ++salt;
  }
  if (!boundaries || salt > kMaxSalt) {
    part.rest.assign(hashes.begin(), hashes.end());
    return part;
  }
  part.entry = {*boundaries, salt};
  part.bytes = fields.bytes(columns_).bytes(trees_).align(8).take();
  part.rest.assign(hashes.begin() + static_cast<std::ptrdiff_t>(in_buckets.size()), hashes.end());
  return part;
}

std::vector<std::uint32_t> PartBuilder::ranks(std::span<const Hash128> hashes,
                                              const PartEntry& entry) const {
  const std::uint64_t keys = std::uint64_t{entry.boundaries.buckets} << shape_.log_keys;
  std::vector<std::uint32_t> ranks(hashes.size(), PartRanks::kBumped);
  for (std::uint64_t i = 0; i < keys; ++i) {
    const std::uint64_t pair = i / 2;
    const std::uint64_t key = (i >> shape_.log_keys << shape_.log_keys) + orders_[i];
    const auto columns = base::load_le<std::uint64_t>(columns_.data() + pair / 8) >> (pair % 8);
    const std::uint32_t side = parity(columns & row(material(hashes[key], entry.salt)));
    ranks[key] = static_cast<std::uint32_t>(2 * pair + side);
  }
  return ranks;
}

bool PartBuilder::try_salt(std::span<const Hash128> hashes, unsigned salt) {
  const std::uint32_t pairs = shape_.keys() / 2;
  ribbon::Band<std::uint64_t, std::uint8_t> equations(columns_.size() * 8);
  std::byte* tree = trees_.data();
  orders_.clear();
  for (std::uint64_t pair = 0; !hashes.empty(); hashes = hashes.subspan(shape_.keys())) {
    for (std::uint32_t i = 0; i < shape_.keys(); ++i) {
      materials_[i] = material(hashes[i], salt);
    }
    if (!search_.find(materials_, tree)) return false;
    tree += shape_.tree_bits() / 8;
    const auto order = search_.order();
    orders_.insert(orders_.end(), order.begin(), order.end());
    for (std::uint32_t p = 0; p < pairs; ++p, ++pair) {
      const std::uint64_t differ =
          row(materials_[order[2 * p]]) ^ row(materials_[order[2 * p + 1]]);
      if (!equations.insert(pair, differ, 1)) return false;
    }
  }
  equations.solve();
  const std::uint8_t* solution = equations.values();
  for (std::byte& eight : columns_) {
    std::uint64_t columns = base::load_le<std::uint64_t>(solution);
    solution += 8;
    // Each byte is 0 or 1; the product gathers them in its top byte.
    eight = static_cast<std::byte>(columns * 0x0102040810204080U >> 56);
  }
  return true;
}

}  // namespace crivo::consensus
