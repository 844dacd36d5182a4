// SPDX-License-Identifier: Apache-2.0
#include "stream/streamed_keys.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <iterator>
#include <memory>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/parallel.hpp"
#include "stream/distinct_count.hpp"

namespace crivo::stream {

namespace {

/// So many more are sorted at least, each time that repeats among some hashed keys were dropped.
constexpr std::uint64_t kLeastFolded = std::uint64_t{1} << 14;

/// Drops all but the first `most` of equal hashes in `sorted`; returns how many are left.
template <typename HashedKey>
std::uint64_t keep_some(std::span<HashedKey> sorted, std::uint64_t most) noexcept {
  std::uint64_t kept = 0;
  std::uint64_t equal = 0;
  for (const HashedKey& hashed : sorted) {
    equal = kept != 0 && hash_of(sorted[kept - 1]) == hash_of(hashed) ? equal + 1 : 1;
    if (equal <= most) sorted[kept++] = hashed;
  }
  return kept;
}

}  // namespace

template <typename HashedKey>
StreamedKeys<HashedKey>::StreamedKeys(PartitionStore<HashedKey>& stream, Totals totals,
                                      NumberValues number, std::uint64_t window_bytes)
    : stream_(stream),
      totals_(std::move(totals)),
      number_(std::move(number)),
      window_bytes_(window_bytes),
      before_(stream.partitions() + 1),
      sums_(stream.partitions()),
      rooms_([] { return std::make_unique<Room>(); }) {
  for (std::uint64_t p = 0; p < stream.partitions(); ++p)
    before_[p + 1] = before_[p] + hashed_keys(p);
  const std::uint64_t any =
      number_ ? std::max<std::uint64_t>(totals_.hashed_keys, 1) - 1 : totals_.value_bits;
  value_bits_ = static_cast<unsigned>(std::bit_width(any));
}

/// A partition of the stream is a cell, a part of one, or some of them: then leases look into it.
template <typename HashedKey>
void StreamedKeys<HashedKey>::expect_spread(std::uint64_t n, std::uint64_t alike) {
  spread_ = KeySpread::of(n, alike);
  const unsigned bits = std::min(spread_.cell_bits, stream_.partition_bits());
  const std::uint64_t together = std::uint64_t{1} << (stream_.partition_bits() - bits);
  const std::uint64_t most = spread_.most_in(bits);
  // The room for hashes that pass, with two values each; a part of it is free when these are in it.
  if (most < UINT64_MAX / 4) fold_room_ = 2 * (most + kLeastFolded);
  for (std::uint64_t first = 0; first != stream_.partitions(); first += together) {
    if (before_[first + together] - before_[first] <= most) continue;
    DistinctCount distinct(most);
    for (std::uint64_t p = first; p != first + together && !distinct.is_over(); ++p) {
      stream_.for_each_piece(p, [&](std::span<const HashedKey> some) {
        for (const HashedKey& hashed : some) distinct.add(hash_of(hashed));
        return !distinct.is_over();
      });
    }
    if (distinct.finish() > most) throw UnevenHashes();
  }
}

template <typename HashedKey>
void StreamedKeys<HashedKey>::check_cells(std::span<const HashedKey> sorted) const {
  if (spread_.cell_bits <= stream_.partition_bits()) return;
  const auto cell_of = [this](const HashedKey& hashed) {
    return base::top_bits(hash_of(hashed).hi, spread_.cell_bits);
  };
  const auto same_hash = [](const HashedKey& a, const HashedKey& b) {
    return hash_of(a) == hash_of(b);
  };
  for (auto rest = sorted; rest.size() > spread_.most;) {
    const std::uint64_t cell = cell_of(rest.front());
    const auto end = std::ranges::partition_point(
        rest, [&](const HashedKey& hashed) { return cell_of(hashed) == cell; });
    const auto keys = rest.first(static_cast<std::size_t>(end - rest.begin()));
    rest = rest.subspan(keys.size());
    if (keys.size() <= spread_.most) continue;
    std::uint64_t distinct = 1;
    for (std::size_t i = 1; i < keys.size(); ++i)
      distinct += same_hash(keys[i - 1], keys[i]) ? 0 : 1;
    if (distinct > spread_.most) throw UnevenHashes();
  }
}

template <typename HashedKey>
void StreamedKeys<HashedKey>::keep_order() const {
  if (!orders_) orders_ = std::make_unique<Order[]>(stream_.partitions());
}

template <typename HashedKey>
std::uint64_t StreamedKeys<HashedKey>::sort(std::uint64_t p, Room& room, std::span<HashedKey> to,
                                            std::vector<Hash128>& repeated) const {
  Order* const order = orders_ ? &orders_[p] : nullptr;
  const auto lock =
      order != nullptr ? std::unique_lock(order->mutex) : std::unique_lock<std::mutex>();
  if (is_folded(p)) {
    const std::uint64_t count = fold(p, room, to, repeated);
    check_cells(to.first(count));
    return count;
  }
  const auto runs = stream_.read(p);
  const auto all = to.first(hashed_keys(p));
  if (order != nullptr && order->kept) {
    auto next = all.begin();
    for (const auto run : runs.all) next = std::ranges::copy(run, next).out;
    return all.size();
  }
  const bool any_repeats = room.sort.sort(runs.all, stream_.partition_bits(), all);
  if (any_repeats && kept_ == Kept::first) {
    const std::uint64_t distinct = stream::drop_repeats(all, repeated);
    check_cells(all.first(distinct));
    return distinct;
  }
  const bool differing = any_repeats && kept_ == Kept::differing;
  const auto kept = differing ? std::span(all.begin(), std::ranges::unique(all).begin()) : all;
  check_cells(kept);
  if (order != nullptr && kept.size() == all.size()) order->kept = stream_.reorder(p, all);
  return kept.size();
}

template <typename HashedKey>
std::uint64_t StreamedKeys<HashedKey>::fold(std::uint64_t p, Room& room, std::span<HashedKey> to,
                                            std::vector<Hash128>& repeated) const {
  room.unsorted.take(fold_room_);
  const std::span<HashedKey> unsorted = room.unsorted.held();
  std::uint64_t held = 0;
  const auto drop_equal = [&] {
    const std::span<const HashedKey> run = unsorted.first(held);
    const std::span<HashedKey> sorted = to.first(held);
    if (!room.sort.sort({&run, 1}, stream_.partition_bits(), sorted)) return;
    switch (kept_) {
      case Kept::first:
        held = stream::drop_repeats(sorted, repeated);
        std::ranges::sort(repeated);  // those of the part before again, too
        repeated.erase(std::ranges::unique(repeated).begin(), repeated.end());
        break;
      case Kept::unequal:
      case Kept::differing:
        held = static_cast<std::uint64_t>(std::ranges::unique(sorted).begin() - sorted.begin());
        break;
      case Kept::all:
        held = keep_some(sorted, kMostEqual);
        break;
    }
  };
  stream_.for_each_piece(p, [&](std::span<const HashedKey> some) {
    while (!some.empty()) {
      if (held == fold_room_) {
        drop_equal();
        if (held > fold_room_ - kLeastFolded) throw UnevenHashes();
        std::ranges::copy(to.first(held), unsorted.begin());
      }
      const auto more = some.first(std::min(some.size(), fold_room_ - held));
      std::ranges::copy(more, unsorted.begin() + static_cast<std::ptrdiff_t>(held));
      held += more.size();
      some = some.subspan(more.size());
    }
    return true;
  });
  drop_equal();
  return held;
}

template <typename HashedKey>
KeySlice StreamedKeys<HashedKey>::keys_in(const Room& room, std::uint64_t begin,
                                          std::uint64_t count) noexcept {
  if constexpr (kHasValue<HashedKey>) {
    return {room.hashes.held().subspan(begin, count), room.values.held().subspan(begin, count), 0};
  } else {
    return {room.sorted.held().subspan(begin, count), {}, 0};
  }
}

/// Each is sorted behind the keys of those before it, with the room that its repeats need.
template <typename HashedKey>
void StreamedKeys<HashedKey>::make_room(Room& room, std::uint64_t first, std::uint64_t last) const {
  std::uint64_t most = 0;
  std::uint64_t most_behind = 0;
  std::uint64_t before = 0;
  for (std::uint64_t p = first; p != last; ++p) {
    most = std::max(most, room_of(p));
    most_behind = std::max(most_behind, before + room_of(p));
    before += std::min(keys(p), room_of(p));
  }
  room.sorted.take(kHasValue<HashedKey> ? most : most_behind);
  if constexpr (kHasValue<HashedKey>) {
    room.hashes.take(most_behind);
    room.values.take(most_behind);
  }
}

template <typename HashedKey>
KeySlice StreamedKeys<HashedKey>::sort_behind(std::uint64_t count, std::uint64_t p, Room& room,
                                              std::vector<Hash128>& repeated) const {
  const std::span<HashedKey> to = room.sorted.held().subspan(kHasValue<HashedKey> ? 0 : count);
  const std::uint64_t distinct = sort(p, room, to, repeated);
  if constexpr (kHasValue<HashedKey>) {
    const std::span<Hash128> hashes = room.hashes.held().subspan(count, distinct);
    const std::span<std::uint64_t> values = room.values.held().subspan(count, distinct);
    for (std::uint64_t i = 0; i < distinct; ++i) {
      hashes[i] = to[i].hash;
      values[i] = to[i].value;
    }
    if (number_) number_(values);
  }
  return keys_in(room, count, distinct);
}

/// Whoever leases the partition at the same time notes the same.
template <typename HashedKey>
void StreamedKeys<HashedKey>::note_sums(std::uint64_t p, const KeySlice& keys) const noexcept {
  const KeySums sums = sums_of(keys);
  const auto note = [](std::uint64_t& noted, std::uint64_t sum) {
    std::atomic_ref(noted).store(sum, std::memory_order_relaxed);
  };
  note(sums_[p].hi, sums.hi);
  note(sums_[p].lo, sums.lo);
  note(sums_[p].values, sums.values);
}

template <typename HashedKey>
KeySums StreamedKeys<HashedKey>::sums() const noexcept {
  KeySums all;
  for (const KeySums& some : sums_) all += some;
  return all;
}

template <typename HashedKey>
std::vector<Hash128> StreamedKeys<HashedKey>::drop_repeats(const base::BuildContext& context,
                                                           std::size_t most_listed) {
  std::vector<Hash128> repeated;
  count(context, most_listed, repeated);
  return repeated;
}

template <typename HashedKey>
std::uint64_t StreamedKeys<HashedKey>::keep_differing(const base::BuildContext& context) {
  kept_ = Kept::differing;
  fold_room_ = UINT64_MAX;
  std::vector<Hash128> none;
  return count(context, 0, none);
}

template <typename HashedKey>
std::uint64_t StreamedKeys<HashedKey>::count(const base::BuildContext& context,
                                             std::size_t most_listed,
                                             std::vector<Hash128>& repeated) {
  struct Part {
    std::uint64_t keys = 0;
    std::uint64_t hashes = 0;
    std::uint64_t value_bits = 0;
    std::vector<Hash128> repeated;
  };
  keep_order();
  context.progress.begin("sort", totals_.hashed_keys);
  std::vector<std::uint64_t> before(before_.size());
  std::uint64_t value_bits = 0;
  std::uint64_t hashes = 0;
  base::parallel_ordered(
      threads_for(stream_.partition_bits(), {}, context.threads), stream_.partitions(),
      [&](std::uint64_t p) {
        const auto room = rooms_.take();
        make_room(*room, p, p + 1);
        Part part;
        const KeySlice keys = sort_behind(0, p, *room, part.repeated);
        part.keys = keys.size();
        for (std::size_t i = 0; i < keys.size(); ++i)
          part.hashes += i == 0 || keys.hashes[i] != keys.hashes[i - 1] ? 1 : 0;
        for (const std::uint64_t value : keys.values) part.value_bits |= value;
        context.progress.add(hashed_keys(p));
        return part;
      },
      [&](std::uint64_t p, Part part) {
        before[p + 1] = before[p] + part.keys;
        value_bits |= part.value_bits;
        hashes += part.hashes;
        const std::size_t listed = std::min(part.repeated.size(), most_listed - repeated.size());
        repeated.insert(repeated.end(), part.repeated.begin(),
                        part.repeated.begin() + static_cast<std::ptrdiff_t>(listed));
      });
  before_ = std::move(before);
  value_bits_ = static_cast<unsigned>(std::bit_width(value_bits));
  return hashes;
}

template <typename HashedKey>
void StreamedKeys<HashedKey>::check_distinct(std::uint64_t first, std::uint64_t last) const {
  if (kept_ != Kept::first) return;
  for (std::uint64_t p = first; p != last; ++p) {
    if (keys(p) > fold_room_) throw RepeatedHashes();
  }
}

template <typename HashedKey>
Lease StreamedKeys<HashedKey>::lease(unsigned bits, std::uint64_t index) const {
  if (whole_.size() != 0) return {whole_.partition(bits, index), nullptr};
  const unsigned together = stream_.partition_bits() - bits;
  const std::uint64_t first = index << together;
  const std::uint64_t last = (index + 1) << together;
  check_distinct(first, last);
  auto room = rooms_.take();
  make_room(*room, first, last);
  std::uint64_t count = 0;
  std::vector<Hash128> repeated;
  for (std::uint64_t p = first; p != last; ++p) {
    const KeySlice keys = sort_behind(count, p, *room, repeated);
    if (kept_ == Kept::first && keys.size() != this->keys(p)) throw RepeatedHashes();
    count += keys.size();
    note_sums(p, keys);
  }
  KeySlice keys = keys_in(*room, 0, count);
  keys.first = before_[first];
  return {keys, std::shared_ptr<const void>(std::move(room))};
}

template <typename HashedKey>
std::uint64_t StreamedKeys<HashedKey>::keys_of(unsigned bits, std::uint64_t index) const noexcept {
  if (whole_.size() != 0) return whole_.partition(bits, index).size();
  const unsigned together = stream_.partition_bits() - bits;
  return before_[(index + 1) << together] - before_[index << together];
}

template <typename HashedKey>
unsigned StreamedKeys<HashedKey>::lease_bits() const noexcept {
  return stream_.partition_bits();
}

template <typename HashedKey>
unsigned StreamedKeys<HashedKey>::threads_for(unsigned bits, const PartCost& cost,
                                              unsigned threads) const noexcept {
  // A thread has up to so many built partitions that wait to be joined.
  constexpr double kWaiting = 4;
  const unsigned together = stream_.partition_bits() - bits;
  std::uint64_t most = 0;
  for (std::uint64_t p = 0; p != stream_.partitions();) {
    std::uint64_t keys = 0;
    for (const std::uint64_t end = p + (std::uint64_t{1} << together); p != end; ++p)
      keys += is_folded(p) ? fold_room_ : this->keys(p);
    most = std::max(most, keys);
  }
  const double key_bytes =
      static_cast<double>(kLeaseBytes) + cost.build_bytes + kWaiting * cost.part_bytes;
  const double fit = static_cast<double>(window_bytes_) /
                     (key_bytes * static_cast<double>(std::max<std::uint64_t>(most, 1)));
  return static_cast<unsigned>(std::clamp(fit, 1.0, static_cast<double>(threads)));
}

template <typename HashedKey>
std::uint64_t StreamedKeys<HashedKey>::least_lease_bytes() const noexcept {
  return std::ranges::max(totals_.partitions) * kLeaseBytes;
}

template <typename HashedKey>
void StreamedKeys<HashedKey>::end_pass() const noexcept {
  rooms_.clear();
  stream_.trim();
}

template <typename HashedKey>
KeySlice StreamedKeys<HashedKey>::whole(const base::BuildContext& context) const {
  const std::scoped_lock lock(whole_mutex_);
  if (whole_.size() != 0) return whole_;
  check_distinct(0, stream_.partitions());
  base::HugeMemory hashes(size() * sizeof(Hash128));
  base::HugeMemory values(kHasValue<HashedKey> ? size() * sizeof(std::uint64_t) : 0);
  auto* const hash = reinterpret_cast<Hash128*>(hashes.data());
  auto* const value = reinterpret_cast<std::uint64_t*>(values.data());
  base::parallel_for(context.threads, stream_.partitions(), [&](std::uint64_t p) {
    const Lease leased = lease(stream_.partition_bits(), p);
    std::ranges::copy(leased.keys.hashes, hash + leased.keys.first);
    std::ranges::copy(leased.keys.values, value + leased.keys.first);
  });
  rooms_.clear();
  stream_.release();
  whole_hashes_ = std::move(hashes);
  whole_values_ = std::move(values);
  whole_ = {{hash, size()}, {}, 0};
  if (kHasValue<HashedKey>) whole_.values = {value, size()};
  return whole_;
}

template class StreamedKeys<Hash128>;
template class StreamedKeys<HashedValue>;
template class StreamedKeys<PlacedValue>;

}  // namespace crivo::stream
