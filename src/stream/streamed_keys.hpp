// SPDX-License-Identifier: Apache-2.0
/// The keys of a PartitionStore, as structures are built from them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/idle_pool.hpp"
#include "base/memory.hpp"
#include "base/progress.hpp"
#include "stream/hash_source.hpp"
#include "stream/key_slice.hpp"
#include "stream/key_spread.hpp"
#include "stream/key_stream.hpp"
#include "stream/sorted_hashes.hpp"

namespace crivo::stream {

/// Turns values, each by itself, into others that are below the number of hashed keys. Values of
/// one hash keep their order. Called from several threads at once.
using NumberValues = std::function<void(std::span<std::uint64_t> values)>;

/// Thrown by a lease where a hash is there more often than once, and nobody knew: what was built is
/// of no use. Not an Error: the reader of the keys looks into it.
struct RepeatedHashes {};

/// A store's hashed keys (a finished stream's, for example), sorted as they are leased, where each
/// distinct hash is one key. Of equal hashes the first hashed key has the value. Until
/// drop_repeats() each hashed key is taken for a key, so that keys that are all distinct are sorted
/// once.
template <typename HashedKey>
class StreamedKeys final : public HashSource {
 public:
  /// `stream` is complete, with those `totals`, and must outlive this. Values are turned by
  /// `number` if there is one. Leases take about `window_bytes` at once, or one does more.
  StreamedKeys(PartitionStore<HashedKey>& stream, Totals totals, NumberValues number,
               std::uint64_t window_bytes);

  /// From here on the hashes must be spread as evenly as those of n random keys, of which up to
  /// `alike` have one `hi`: throws
  /// UnevenHashes at once where more are in one of the stream's partitions, and drop_repeats() and
  /// leases do for each cell. Equal ones count once. Called before any is leased.
  void expect_spread(std::uint64_t n, std::uint64_t alike = 1);

  /// Counts the distinct hashes, in a pass over all, whose order is kept; returns those that are
  /// there more often than once, ascending, the first `most_listed` of them.
  std::vector<Hash128> drop_repeats(const base::BuildContext& context,
                                    std::size_t most_listed = SIZE_MAX);

  /// From here on each hashed key is a key, equal ones too. Of a hash that is there more often than
  /// kMostEqual times, in a partition that has more hashed keys than expect_spread() lets it have
  /// hashes, only so many. Called before any is leased.
  void keep_repeats() noexcept { kept_ = Kept::all; }
  static constexpr std::uint64_t kMostEqual = 2048;
  /// The same of hashed keys that differ: of equal ones all but one may be left out. Then leases
  /// have fewer keys than size() says.
  void keep_values() noexcept { kept_ = Kept::unequal; }
  /// The same of hashed keys that differ, each of which is left once, however many have one hash: a
  /// lease then takes what they take. Returns how many hashes there are, after a pass over all, as
  /// drop_repeats(). Called when the spread is known.
  std::uint64_t keep_differing(const base::BuildContext& context);
  /// The bytes that a lease takes at least, of those hashed keys that are sorted together.
  std::uint64_t least_lease_bytes() const noexcept;

  std::uint64_t size() const noexcept override { return before_.back(); }
  unsigned value_bits() const noexcept override { return value_bits_; }
  void keep_order() const override;
  KeySlice whole(const base::BuildContext& context) const override;
  /// The sums of all keys, each of which must have been leased since repeats were dropped, if they
  /// were.
  KeySums sums() const noexcept;

 private:
  /// The bytes of a hashed key in a lease: sorted, by way of as many where they are many, from what
  /// was read where they are spilled.
  static constexpr std::uint64_t kLeaseBytes =
      3 * sizeof(HashedKey) + (kHasValue<HashedKey> ? sizeof(Hash128) + sizeof(std::uint64_t) : 0);

  /// Counts the keys, of which the order is kept; notes the first `most_listed` repeated hashes.
  /// Returns how many hashes there are.
  std::uint64_t count(const base::BuildContext& context, std::size_t most_listed,
                      std::vector<Hash128>& repeated);

  /// Which hashed keys of one hash are keys.
  enum class Kept { first, unequal, differing, all };

  /// The memory that a thread sorts in; kept from lease to lease.
  struct Room {
    PartitionSort<HashedKey> sort;
    base::HugeRoom<HashedKey> unsorted;  ///< of a partition that is folded
    base::HugeRoom<HashedKey> sorted;
    base::HugeRoom<Hash128>
        hashes;  ///< the keys, where hashed keys have values; else they are sorted
    base::HugeRoom<std::uint64_t> values;
  };

  /// Whether a partition's hashed keys are in order where the stream has them, and are all
  /// distinct.
  struct Order {
    std::mutex mutex;
    bool kept = false;
  };

  unsigned lease_bits() const noexcept override;
  Lease lease(unsigned bits, std::uint64_t index) const override;
  std::uint64_t keys_of(unsigned bits, std::uint64_t index) const noexcept override;
  unsigned threads_for(unsigned bits, const PartCost& cost,
                       unsigned threads) const noexcept override;
  void end_pass() const noexcept override;

  /// Sorts stream partition `p` to the front of `to`, which has room for all of its hashed keys,
  /// and notes repeats; returns how many are distinct.
  std::uint64_t sort(std::uint64_t p, Room& room, std::span<HashedKey> to,
                     std::vector<Hash128>& repeated) const;
  /// The same of one that has more hashed keys than may be distinct: a part of them at a time.
  std::uint64_t fold(std::uint64_t p, Room& room, std::span<HashedKey> to,
                     std::vector<Hash128>& repeated) const;
  bool is_folded(std::uint64_t p) const noexcept { return hashed_keys(p) > fold_room_; }
  /// So many of its hashed keys are sorted at once, and at most so many keys it has.
  std::uint64_t room_of(std::uint64_t p) const noexcept {
    return std::min(hashed_keys(p), fold_room_);
  }
  /// Throws RepeatedHashes if there are more in stream partitions [first, last) than can differ.
  void check_distinct(std::uint64_t first, std::uint64_t last) const;
  /// Throws UnevenHashes if one of the cells of a stream partition has too many.
  void check_cells(std::span<const HashedKey> sorted) const;
  /// Makes room for the stream partitions [first, last), which are sorted in it, behind each other.
  void make_room(Room& room, std::uint64_t first, std::uint64_t last) const;
  /// Sorts it too, and returns its distinct keys; they stand in the room behind `count` others.
  KeySlice sort_behind(std::uint64_t count, std::uint64_t p, Room& room,
                       std::vector<Hash128>& repeated) const;
  /// The `count` keys from the one at `begin` on that stand in a room.
  static KeySlice keys_in(const Room& room, std::uint64_t begin, std::uint64_t count) noexcept;
  /// Notes the sums of a stream partition's keys.
  void note_sums(std::uint64_t p, const KeySlice& keys) const noexcept;
  std::uint64_t hashed_keys(std::uint64_t p) const noexcept { return totals_.partitions[p]; }
  std::uint64_t keys(std::uint64_t p) const noexcept { return before_[p + 1] - before_[p]; }

  PartitionStore<HashedKey>& stream_;
  Totals totals_;
  NumberValues number_;
  std::uint64_t window_bytes_;
  std::vector<std::uint64_t> before_;  ///< the keys before each stream partition, and in all
  unsigned value_bits_;
  Kept kept_ = Kept::first;
  KeySpread spread_;
  std::uint64_t fold_room_ = UINT64_MAX;
  mutable std::vector<KeySums> sums_;  ///< of each stream partition that was leased
  mutable base::IdlePool<Room> rooms_;
  mutable std::unique_ptr<Order[]> orders_;  ///< of the stream's partitions, from keep_order() on

  mutable std::mutex whole_mutex_;
  mutable base::HugeMemory whole_hashes_;  ///< of all keys, from the first whole() on
  mutable base::HugeMemory whole_values_;
  mutable KeySlice whole_;
};

/// A stream, and its keys.
template <typename HashedKey>
class GatheredKeys {
 public:
  /// Within unlimited memory.
  explicit GatheredKeys(unsigned threads)
      : GatheredKeys(StreamOptions{.threads = threads}, nullptr) {}
  /// Gathers about so many hashed keys, within `scratch`, which must outlive this; null: in memory.
  /// One thread adds.
  GatheredKeys(std::uint64_t expected, base::Scratch* scratch)
      : GatheredKeys(options_within(expected, scratch), scratch) {}

  unsigned partition_bits() const noexcept { return stream_.partition_bits(); }
  typename KeyStream<HashedKey>::Writer& writer(unsigned thread) { return stream_.writer(thread); }
  /// Ends the adding. Once.
  StreamedKeys<HashedKey>& finish() {
    Totals totals = stream_.finish();
    const std::uint64_t window = memory_bytes_ - std::min(memory_bytes_, stream_.memory_bytes());
    keys_ = std::make_unique<StreamedKeys<HashedKey>>(stream_, std::move(totals), NumberValues(),
                                                      window);
    return *keys_;
  }
  /// The totals that finish() returned.
  const HashSource& keys() const noexcept { return *keys_; }

 private:
  GatheredKeys(StreamOptions options, base::Scratch* scratch)
      : memory_bytes_(scratch != nullptr ? options.memory_bytes : UINT64_MAX),
        stream_(std::move(options)) {}

  static StreamOptions options_within(std::uint64_t expected, base::Scratch* scratch) {
    if (scratch == nullptr) return {.partition_bits = partition_bits_for(expected)};
    const std::uint64_t memory = scratch->memory_bytes();
    const unsigned bits = partition_bits_for(expected, sizeof(HashedKey), 1, memory);
    return {.memory_bytes = std::max(memory, least_stream_bytes(1, bits)),
            .temp_dir = scratch->directory(),
            .partition_bits = bits,
            .spilled = [scratch](std::uint64_t bytes) { scratch->note_spilled(bytes); }};
  }

  std::uint64_t memory_bytes_;
  KeyStream<HashedKey> stream_;
  std::unique_ptr<StreamedKeys<HashedKey>> keys_;
};

}  // namespace crivo::stream
