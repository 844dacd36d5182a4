// SPDX-License-Identifier: Apache-2.0
#include "input/many_repeats.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "base/bytes.hpp"
#include "stream/streamed_keys.hpp"

namespace crivo::input {

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

void ManyRepeats::see(unsigned thread, std::span<const Hash128> hashes,
                      std::span<const std::string_view> keys) {
  auto& writer = stream_.writer(thread);
  for (std::size_t i = 0; i < hashes.size(); ++i)
    writer.add({hashes[i], siphash(keys[i], secret_)});
}

/// Halves that were chosen to lie close together are dealt out by what nobody knew.
void ManyRepeats::see(std::span<const std::uint64_t> low_halves,
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
