#include "keys/collision_check.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "util/bits.hpp"

namespace crivo::keys {
namespace {

/// Of the hash that tells keys apart. Any will do that builds do not begin with.
constexpr std::uint64_t kOtherSeed = 0xc0111de5c0111de5U;

}  // namespace

CollisionCheck::CollisionCheck(std::span<const Hash128> repeated)
    : repeated_(repeated),
      index_bits_(static_cast<unsigned>(std::bit_width(repeated.size() / 2))),
      index_((std::size_t{1} << index_bits_) + 1),
      seen_(std::make_unique<std::atomic<std::uint64_t>[]>(repeated.size())) {
  for (const Hash128& hash : repeated_) ++index_[util::top_bits(hash.hi, index_bits_) + 1];
  for (std::size_t i = 1; i < index_.size(); ++i) index_[i] += index_[i - 1];
}

void CollisionCheck::see(std::span<const Hash128> hashes,
                         std::span<const std::string_view> keys) noexcept {
  constexpr std::size_t kBlock = 64;
  std::array<std::uint64_t, kBlock> buckets;
  std::array<std::size_t, kBlock> places;
  for (; !hashes.empty(); hashes = hashes.subspan(std::min(kBlock, hashes.size()))) {
    const auto block = hashes.first(std::min(kBlock, hashes.size()));
    for (std::size_t i = 0; i < block.size(); ++i) {
      buckets[i] = util::top_bits(block[i].hi, index_bits_);
      __builtin_prefetch(&index_[buckets[i]]);
    }
    for (std::size_t i = 0; i < block.size(); ++i) {
      __builtin_prefetch(repeated_.data() + index_[buckets[i]]);
    }
    std::size_t found = 0;  // so many of the block have one of the hashes; buckets[] is reused
    for (std::size_t i = 0; i < block.size(); ++i) {
      const Hash128* const end = repeated_.data() + index_[buckets[i] + 1];
      const Hash128* const at =
          std::lower_bound(repeated_.data() + index_[buckets[i]], end, block[i]);
      if (at == end || *at != block[i]) continue;
      places[found] = static_cast<std::size_t>(at - repeated_.data());
      __builtin_prefetch(&seen_[places[found]], 1);
      buckets[found++] = i;
    }
    for (std::size_t f = 0; f < found; ++f) compare(places[f], keys[buckets[f]]);
    keys = keys.subspan(block.size());
  }
}

void CollisionCheck::compare(std::size_t place, std::string_view key) noexcept {
  const std::uint64_t other = hash_key(key, kOtherSeed).lo | 1;
  std::uint64_t first = 0;
  if (!seen_[place].compare_exchange_strong(first, other, std::memory_order_relaxed) &&
      first != other) {
    found_.store(true, std::memory_order_relaxed);
  }
}

}  // namespace crivo::keys
