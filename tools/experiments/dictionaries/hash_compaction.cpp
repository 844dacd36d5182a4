// SPDX-License-Identifier: Apache-2.0
#include "experiments/dictionaries/hash_compaction.hpp"

#include "crivo/error.hpp"

namespace crivo::experiments {
namespace {

constexpr unsigned kMaxBits = 64;

std::uint64_t bytes_of(std::uint64_t blocks, unsigned bits) {
  return base::div_ceil(blocks * bits, 8) + bits::kFieldPadding;
}

unsigned checked(unsigned bits) {
  if (bits < 1 || bits > kMaxBits) {
    throw Error(ErrorKind::usage, "hash compaction: a compressed key has 1 to 64 bits");
  }
  return bits;
}

}  // namespace

HashCompaction::HashCompaction(const KeySet& keys, double load, const Hashing& hashing,
                               unsigned bits)
    : hash_(hashing.hash),
      bits_(checked(bits)),
      chains_(addresses_for(keys.size(), load, 1)),
      reduce_(hashing.range, chains_.buckets()) {
  chains_.reserve(keys.size());
  blocks_.reserve(bytes_of(keys.size(), bits_));
  for (std::uint64_t i = 0; i < keys.size(); ++i) insert(keys[i]);
}

void HashCompaction::insert(std::string_view key) {
  const std::uint64_t compressed = compress(key);
  blocks_.resize(bytes_of(size_ + 1, bits_));
  bits::store_bits(blocks_.data(), size_ * bits_, bits_, compressed);
  chains_.push(bucket(compressed));
  ++size_;
}

}  // namespace crivo::experiments
