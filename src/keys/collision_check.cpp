#include "keys/collision_check.hpp"

#include <algorithm>
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

void CollisionCheck::see(Hash128 hash, std::string_view key) noexcept {
  const std::uint64_t bucket = util::top_bits(hash.hi, index_bits_);
  const auto begin = repeated_.begin() + static_cast<std::ptrdiff_t>(index_[bucket]);
  const auto end = repeated_.begin() + static_cast<std::ptrdiff_t>(index_[bucket + 1]);
  const auto at = std::lower_bound(begin, end, hash);
  if (at == end || *at != hash) return;
  const std::uint64_t other = hash_key(key, kOtherSeed).lo | 1;
  std::atomic<std::uint64_t>& seen = seen_[static_cast<std::size_t>(at - repeated_.begin())];
  std::uint64_t first = seen.load(std::memory_order_relaxed);
  // An exchange waits for the cache; those that find a key there need none.
  if (first == other) return;
  first = 0;
  if (!seen.compare_exchange_strong(first, other, std::memory_order_relaxed) && first != other) {
    found_.store(true, std::memory_order_relaxed);
  }
}

}  // namespace crivo::keys
