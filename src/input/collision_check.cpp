// SPDX-License-Identifier: Apache-2.0
#include "input/collision_check.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "stream/streamed_keys.hpp"

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

void CollisionCheck::look_at(std::span<const Hash128> hashes,
                             std::span<const std::string_view> keys) noexcept {
  see_each(hashes, [&](std::size_t i) { return siphash(keys[i], secret_); });
}

void CollisionCheck::look_at(std::span<const Hash128> hashes,
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

ManyRepeats::ManyRepeats(const ManyRepeatsOptions& options, const hashing::SipKey& secret,
                         const base::BuildContext& context)
    : options_(options),
      secret_(secret),
      context_(context),
      stream_(stream_options(options, context)) {}

stream::StreamOptions ManyRepeats::stream_options(const ManyRepeatsOptions& options,
                                                  const base::BuildContext& context) {
  const unsigned bits = stream::partition_bits_for(options.keys, sizeof(stream::HashedValue),
                                                   context.threads, options.memory_bytes);
  return {.threads = context.threads,
          .memory_bytes =
              std::max(options.memory_bytes, stream::least_stream_bytes(context.threads, bits)),
          .temp_dir = options.temp_dir,
          .partition_bits = bits,
          .spilled = [&context](std::uint64_t bytes) { context.progress.add_spilled(bytes); }};
}

void ManyRepeats::look_at(unsigned thread, std::span<const Hash128> hashes,
                          std::span<const std::string_view> keys) {
  auto& writer = stream_.writer(thread);
  for (std::size_t i = 0; i < hashes.size(); ++i)
    writer.add({hashes[i], siphash(keys[i], secret_)});
}

/// Halves that were chosen to lie close together are dealt out by what nobody knew.
void ManyRepeats::look_at(std::span<const std::uint64_t> low_halves,
                          std::span<const std::uint64_t> fingerprints) {
  auto& writer = stream_.writer(0);
  for (std::size_t i = 0; i < low_halves.size(); ++i) {
    std::array<std::byte, sizeof(std::uint64_t)> half{};
    base::store_le(half.data(), low_halves[i]);
    writer.add({{siphash(base::as_text(half), secret_), low_halves[i]}, fingerprints[i]});
  }
}

bool ManyRepeats::found() {
  stream::Totals totals = stream_.finish();
  const std::uint64_t held = std::min(options_.memory_bytes, stream_.memory_bytes());
  stream::StreamedKeys<stream::HashedValue> keys(stream_, std::move(totals), {},
                                                 options_.memory_bytes - held);
  std::atomic<bool> found{false};
  try {
    keys.expect_spread(options_.keys, options_.alike);
    keys.keep_values();
    keys.for_each({}, context_, [&](const stream::KeySlice& slice) {
      for (std::size_t i = 1; i < slice.size(); ++i) {
        if (slice.hashes[i] == slice.hashes[i - 1] && slice.values[i] != slice.values[i - 1])
          found.store(true, std::memory_order_relaxed);
      }
    });
  } catch (const stream::UnevenHashes&) {  // the hashes are even: there are more keys than hashes
    return true;
  }
  return found.load(std::memory_order_relaxed);
}

}  // namespace crivo::input
