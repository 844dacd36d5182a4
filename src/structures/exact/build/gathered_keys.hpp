// SPDX-License-Identifier: Apache-2.0
/// Keys that come from several threads in any order, and are then gone over by their hashes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "base/progress.hpp"
#include "stream/key_spread.hpp"
#include "stream/key_stream.hpp"
#include "stream/streamed_keys.hpp"

namespace crivo::exact {

/// The memory and the disk that gathering may take.
struct Room {
  std::uint64_t memory_bytes = UINT64_MAX;
  std::filesystem::path temp_dir{};
};

/// A stream of hashed keys that are gone over as often as is asked once it is finished: with
/// repeats, to count, or without, to build.
template <typename HashedKey>
class Gathered {
 public:
  Gathered(std::uint64_t expected, const Room& room, const base::BuildContext& context)
      : stream_(options_of(expected, room, context)),
        memory_bytes_(std::max(room.memory_bytes, least_bytes(expected, room, context.threads))) {}

  typename stream::KeyStream<HashedKey>::Writer& writer(unsigned thread) {
    return stream_.writer(thread);
  }
  void finish() { totals_ = stream_.finish(); }
  std::uint64_t temp_bytes() const noexcept { return stream_.temp_bytes(); }
  unsigned partition_bits() const noexcept { return stream_.partition_bits(); }

  /// The hashed keys in order, each as a key; of equal ones all but one may be left out.
  std::unique_ptr<stream::StreamedKeys<HashedKey>> with_repeats() {
    auto keys = make({});
    keys->keep_values();
    return keys;
  }
  /// One key of each hash, with its least value, which `number` turns into another.
  std::unique_ptr<stream::StreamedKeys<HashedKey>> distinct(stream::NumberValues number,
                                                            const base::BuildContext& context) {
    auto keys = make(std::move(number));
    keys->drop_repeats(context, 0);
    return keys;
  }

 private:
  static constexpr std::uint64_t kLeaseBytes = std::uint64_t{8} << 20;

  static unsigned bits_for(std::uint64_t expected, const Room& room, unsigned threads) {
    return stream::partition_bits_for(expected, sizeof(HashedKey), threads, room.memory_bytes);
  }
  static std::uint64_t least_bytes(std::uint64_t expected, const Room& room, unsigned threads) {
    return stream::least_stream_bytes(threads, bits_for(expected, room, threads));
  }
  static stream::StreamOptions options_of(std::uint64_t expected, const Room& room,
                                          const base::BuildContext& context) {
    const std::uint64_t least = least_bytes(expected, room, context.threads);
    return {.threads = context.threads,
            .memory_bytes = std::max(room.memory_bytes, least),
            .temp_dir = room.temp_dir,
            .partition_bits = bits_for(expected, room, context.threads),
            .spilled = [&progress = context.progress](std::uint64_t bytes) {
              progress.add_spilled(bytes);
            }};
  }
  std::unique_ptr<stream::StreamedKeys<HashedKey>> make(stream::NumberValues number) {
    const std::uint64_t left = memory_bytes_ - std::min(memory_bytes_, stream_.memory_bytes());
    const std::uint64_t window = left > UINT64_MAX - kLeaseBytes ? left : left + kLeaseBytes;
    auto keys = std::make_unique<stream::StreamedKeys<HashedKey>>(stream_, totals_,
                                                                  std::move(number), window);
    try {
      keys->expect_spread(totals_.hashed_keys);
    } catch (const stream::UnevenHashes&) {  // those of members were looked at
      stream::fail_uneven("the universe", true);
    }
    return keys;
  }

  stream::KeyStream<HashedKey> stream_;
  std::uint64_t memory_bytes_;
  stream::Totals totals_;
};

/// Calls visit(hash, least value, greatest value) for each run of equal hashes of a slice.
template <typename Visit>
void for_each_run(const stream::KeySlice& keys, Visit&& visit) {
  for (std::size_t i = 0; i < keys.size();) {
    std::size_t end = i + 1;
    while (end < keys.size() && keys.hashes[end] == keys.hashes[i]) ++end;
    visit(keys.hashes[i], keys.values[i], keys.values[end - 1]);
    i = end;
  }
}

}  // namespace crivo::exact
