// SPDX-License-Identifier: Apache-2.0
#include "records/build/record_batch.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "crivo/error.hpp"
#include "records/limits.hpp"

namespace crivo::records {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

}  // namespace

void RecordBatch::clear() noexcept {
  places_.clear();
  sorted_size_ = 0;
  if (blocks_.size() > 1) blocks_.clear();
  used_ = 0;
  room_bytes_ = 0;
  bound_places();
  bound_bytes();
}

void RecordBatch::fold(Duplicates duplicates) noexcept {
  if (duplicates == Duplicates::keep_first || duplicates == Duplicates::keep_last)
    folded_ = duplicates;
  bound_places();
  bound_bytes();
}

void RecordBatch::hand_on(Use use) noexcept {
  use_ = std::move(use);
  bound_places();
  bound_bytes();
}

/// They are made less again when they have doubled.
void RecordBatch::bound_places() noexcept {
  if (folded_ || use_) most_places_ = std::max(sorted_size_ + kManyPlaces, 2 * places_.size());
}

void RecordBatch::bound_bytes() noexcept {
  if (folded_ || use_) most_bytes_ = std::max(kManyBytes, 2 * room_bytes_);
}

void RecordBatch::drop_places() {
  if (use_) {
    use_();
    places_.clear();
  } else {
    sort_added(*folded_);
  }
  bound_places();
}

/// Drops the blocks, with a copy of the entries that are left.
void RecordBatch::drop_bytes() {
  drop_places();
  std::vector<Block> before = std::exchange(blocks_, {});
  used_ = taken_ = room_bytes_ = 0;
  for (Place& place : places_) {
    const auto is_in = [&](const Block& block) {
      const std::less<> less;
      return !less(place.entry, block.bytes.get()) &&
             less(place.entry, block.bytes.get() + block.size);
    };
    if (std::ranges::none_of(before, is_in)) continue;
    const std::size_t size = RecordEntry(place.entry).size();
    std::byte* const to = take_room(size).data();
    std::copy_n(place.entry, size, to);
    place.entry = to;
  }
  bound_bytes();
}

std::span<std::byte> RecordBatch::take_room(std::size_t bytes) {
  room_bytes_ += bytes;
  if (blocks_.empty() || blocks_.back().size - used_ < bytes) {
    if (blocks_.size() == 1 && used_ == 0) blocks_.clear();  // of the filling before
    const std::size_t size = std::max({bytes, kBlockBytes, blocks_.empty() ? taken_ : taken_ / 4});
    blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
    taken_ = blocks_.size() == 1 ? size : taken_ + size;
    used_ = 0;
  }
  return {blocks_.back().bytes.get() + std::exchange(used_, used_ + bytes), bytes};
}

void RecordBatch::add(Hash128 hash, std::uint64_t order, std::string_view key,
                      std::string_view record) {
  std::byte* const entry = room(RecordEntry::size_of(key, record)).data();
  RecordEntry::write(entry, hash, order, key, record);
  refer(hash.hi, entry);
}

void RecordBatch::add_far(Hash128 hash, std::uint64_t order, std::string_view key,
                          std::size_t record_size, const RecordEntry::Place& place) {
  std::byte* const entry = room(RecordEntry::size_of_far(key)).data();
  RecordEntry::write_far(entry, hash, order, key, record_size, place);
  refer(hash.hi, entry);
}

void RecordBatch::append_record(const RecordEntry& entry, base::Bytes& to) const {
  bool is_first = true;
  entry.for_each([&](const RecordEntry& one) {
    if (!std::exchange(is_first, false)) to.push_back(std::byte{'\n'});
    if (one.is_far()) {
      source_->append_far(one, to);
    } else {
      const base::ByteView record = base::as_bytes(one.record());
      to.insert(to.end(), record.begin(), record.end());
    }
  });
}

void RecordBatch::append_pair(const RecordEntry& entry, base::Bytes& to) const {
  const base::ByteView key = base::as_bytes(entry.key());
  if (!entry.is_near()) to.reserve(to.size() + entry.pair_size());
  to.insert(to.end(), key.begin(), key.end());
  append_record(entry, to);
}

std::string_view RecordBatch::pair(const RecordEntry& entry, base::Bytes& room) const {
  if (entry.is_near()) return entry.pair();
  room.clear();
  append_pair(entry, room);
  return base::as_text(room);
}

/// Deals them out to about as many buckets as there are places: few places are in one, where
/// halves are as good as random.
void RecordBatch::sort_by_halves(std::span<Place> places) {
  constexpr std::size_t kFew = 32;
  if (places.size() <= kFew) {
    std::ranges::sort(places, {}, &Place::half);
    return;
  }
  std::uint64_t all = 0;
  std::uint64_t common = UINT64_MAX;
  for (const Place& place : places) {
    all |= place.half;
    common &= place.half;
  }
  const auto width = static_cast<unsigned>(std::bit_width(all ^ common));  // of what differs
  const unsigned bits = std::min(static_cast<unsigned>(std::bit_width(places.size())), width);
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const auto bucket_of = [&](const Place& place) { return place.half >> (width - bits) & mask; };
  unsorted_.assign(places.begin(), places.end());
  bucket_begins_.assign(mask + 2, 0);
  for (const Place& place : unsorted_) ++bucket_begins_[bucket_of(place) + 1];
  for (std::size_t i = 1; i <= mask; ++i) bucket_begins_[i] += bucket_begins_[i - 1];
  for (const Place& place : unsorted_) places[bucket_begins_[bucket_of(place)]++] = place;
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (places[i].half >= places[i - 1].half) continue;
    const std::uint64_t bucket = bucket_of(places[i]);
    std::size_t begin = i - 1;
    while (begin != 0 && bucket_of(places[begin - 1]) == bucket) --begin;
    const std::size_t end = bucket_begins_[bucket];
    std::ranges::sort(places.subspan(begin, end - begin), {}, &Place::half);
    i = end - 1;
  }
}

void RecordBatch::sort(Duplicates duplicates) {
  sort_added(duplicates);
  sorted_size_ = places_.size();
}

void RecordBatch::sort_added(Duplicates duplicates) {
  const std::span<Place> added = std::span(places_).subspan(sorted_size_);
  sort_by_halves(added);
  const auto same_half = [](const Place& a, const Place& b) { return a.half == b.half; };
  std::size_t kept = 0;
  for (std::size_t begin = 0, end = 0; begin < added.size(); begin = end) {
    for (end = begin + 1; end < added.size() && same_half(added[begin], added[end]);) ++end;
    if (end == begin + 1) {
      added[kept++] = added[begin];
      continue;
    }
    const std::span<Place> equal = added.subspan(begin, end - begin);
    const auto lower_half = [](const Place& place) { return RecordEntry(place.entry).hash().lo; };
    std::ranges::sort(equal, {}, [&](const Place& place) {
      return std::tuple(lower_half(place), RecordEntry(place.entry).order());
    });
    for (std::size_t first = 0, last = 0; first < equal.size(); first = last) {
      for (last = first + 1; last < equal.size();) {
        if (lower_half(equal[last]) != lower_half(equal[first])) break;
        ++last;
      }
      const std::byte* const entry = last == first + 1
                                         ? equal[first].entry
                                         : merge(equal.subspan(first, last - first), duplicates);
      added[kept++] = {equal[first].half, entry};
    }
  }
  places_.resize(sorted_size_ + kept);
}

const std::byte* RecordBatch::merge(std::span<const Place> equal, Duplicates duplicates) {
  const RecordEntry first(equal.front().entry);
  switch (duplicates) {
    case Duplicates::refuse:
      throw Error(ErrorKind::bad_input, "records " + std::to_string(first.order()) + " and " +
                                            std::to_string(RecordEntry(equal[1].entry).order()) +
                                            " have the same hash; perhaps their keys are equal");
    case Duplicates::keep_first:
      return equal.front().entry;
    case Duplicates::keep_last:
      return equal.back().entry;
    case Duplicates::join:
      break;
  }
  std::uint64_t bytes = equal.size() - 1;
  for (const Place& place : equal) bytes += RecordEntry(place.entry).record_size();
  check_record_size(bytes);
  const std::size_t size = RecordEntry::size_of_joined(first.key(), equal.size());
  std::byte* const entry = take_room(size).data();
  std::byte* to = RecordEntry::write_joined(entry, first.hash(), first.order(), first.key(), bytes,
                                            equal.size());
  for (const Place& place : equal) {
    base::store_le(to, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(place.entry)));
    to += sizeof(std::uint64_t);
  }
  return entry;
}

}  // namespace crivo::records
