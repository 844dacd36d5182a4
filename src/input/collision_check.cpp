// SPDX-License-Identifier: Apache-2.0
#include "input/collision_check.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/arithmetic.hpp"

namespace crivo::input {

CollisionCheck::CollisionCheck(std::span<const Hash128> repeated, const hashing::SipKey& secret)
    : repeated_(repeated),
      secret_(secret),
      index_bits_(static_cast<unsigned>(std::bit_width(repeated.size() / 2))),
      index_((std::size_t{1} << index_bits_) + 1),
      seen_(std::make_unique<std::atomic<std::uint64_t>[]>(repeated.size())) {
  for (const Hash128& hash : repeated_) ++index_[base::top_bits(hash.hi, index_bits_) + 1];
  for (std::size_t i = 1; i < index_.size(); ++i) index_[i] += index_[i - 1];
}

void CollisionCheck::see(std::span<const Hash128> hashes,
                         std::span<const std::string_view> keys) noexcept {
  see_each(hashes, [&](std::size_t i) { return siphash(keys[i], secret_); });
}

void CollisionCheck::see(std::span<const Hash128> hashes,
                         std::span<const std::uint64_t> fingerprints) noexcept {
  see_each(hashes, [&](std::size_t i) { return fingerprints[i]; });
}

template <typename Fingerprint>
void CollisionCheck::see_each(std::span<const Hash128> hashes,
                              const Fingerprint& fingerprint_of) noexcept {
  constexpr std::size_t kBlock = 64;
  std::array<std::uint64_t, kBlock> buckets;
  std::array<std::size_t, kBlock> places;
  for (std::size_t first = 0; first < hashes.size(); first += kBlock) {
    const auto block = hashes.subspan(first, std::min(kBlock, hashes.size() - first));
    for (std::size_t i = 0; i < block.size(); ++i) {
      buckets[i] = base::top_bits(block[i].hi, index_bits_);
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
    for (std::size_t f = 0; f < found; ++f) {
      compare(places[f], fingerprint_of(first + buckets[f]));
    }
  }
}

void CollisionCheck::compare(std::size_t place, std::uint64_t fingerprint) noexcept {
  if (fingerprint == 0) fingerprint = 1;  // 0 says that none was seen
  std::uint64_t first = 0;
  if (!seen_[place].compare_exchange_strong(first, fingerprint, std::memory_order_relaxed) &&
      first != fingerprint) {
    found_.store(true, std::memory_order_relaxed);
  }
}

}  // namespace crivo::input
