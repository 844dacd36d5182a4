// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>

#include "structures/bits/fixed_point.hpp"
#include "structures/cuckoo/build/cuckoo.hpp"
#include "structures/cuckoo/shape.hpp"

namespace crivo::filter {
namespace cuckoo {
namespace {

/// A layer of what was seen stashes so many fingerprints that find no place before it is full.
constexpr std::size_t kMostStashed = 1024;
/// So many hashes ahead, the two buckets of each are asked for.
constexpr std::size_t kAhead = 32;

class CuckooEditor final : public SeenLayer {
 public:
  /// A filter without keys.
  explicit CuckooEditor(const Header& header)
      : header_(header),
        packing_(header_.shape.fingerprints),
        data_(header_.shape.bytes() + bits::kFieldPadding) {}

  explicit CuckooEditor(base::ByteView section)
      : header_(Header::decode(section)),
        packing_(header_.shape.fingerprints),
        data_(section.begin() + kHeaderBytes,
              section.begin() + static_cast<std::ptrdiff_t>(kHeaderBytes + header_.shape.bytes() +
                                                            bits::kFieldPadding)) {}

  bool add(Hash128 hash) override {
    const Place place = header_.shape.place(hash.hi);
    const Room room = room_of(place);
    const bool held = holds(room, place);
    // A damaged header may say that there is more than there is.
    if (header_.keys >= header_.shape.slots()) return false;
    if (put(room, place)) return false;
    count(room, held);
    return true;
  }

  void contains(std::span<const Hash128> hashes, bool* held) const override {
    for_each_room(hashes, [&](std::size_t i, const Place& place, const Room& room) {
      held[i] = held[i] || holds(room, place);
      return true;
    });
  }

  std::size_t add_new(std::span<const Hash128> hashes, bool* held) override {
    return for_each_room(hashes, [&](std::size_t i, const Place& place, const Room& room) {
      held[i] = held[i] || holds(room, place);
      if (held[i]) return true;
      if (is_full()) return false;
      if (const auto homeless = put(room, place)) stash(room, *homeless);
      count(room, false);
      return true;
    });
  }

  bool remove(Hash128 hash) override {
    const Place place = header_.shape.place(hash.hi);
    const Room room = room_of(place);
    // A damaged header may say that there is less than there is.
    if (header_.keys == 0) return false;
    if (!take_stashed(room, place) && !take(room.first, place) && !take(room.second, place)) {
      return false;
    }
    --header_.keys;
    if (!holds(room, place)) header_.pairs -= std::min(header_.pairs, room.pairs());
    return true;
  }

  std::uint64_t size() const noexcept override { return header_.keys; }
  std::uint64_t capacity() const noexcept override { return header_.capacity; }

  void write(base::Sink& sink) override {
    bound_pairs();
    sink.append(header_.encode());
    sink.append(base::ByteView(data_).first(header_.shape.bytes()));
    sink.append(header_.encode_end());
  }

 private:
  /// A damaged section's pairs, counted on from, are made such as a section may have.
  void bound_pairs() noexcept {
    header_.pairs =
        std::clamp(header_.pairs, std::min<std::uint64_t>(header_.keys, 1), 2 * header_.keys);
    if (header_.fpr() > 1) {
      header_.pairs = header_.shape.buckets() * header_.shape.fingerprints.largest();
    }
  }

  /// The two buckets of a fingerprint, and where their segment begins.
  struct Room {
    std::uint64_t begin;
    std::uint64_t first;
    std::uint64_t second;

    std::uint64_t pairs() const noexcept { return first == second ? 1 : 2; }
  };

  Room room_of(const Place& place) const noexcept {
    const std::uint64_t begin = place.segment * header_.shape.segment_buckets;
    return {begin, begin + place.first,
            begin + header_.shape.other(place.first, place.fingerprint)};
  }

  /// Calls visit(i, place, room) for each hash in order until it returns false, with the cache
  /// misses overlapped; returns how many it returned true for.
  template <typename Visit>
  std::size_t for_each_room(std::span<const Hash128> hashes, const Visit& visit) const {
    std::array<Place, kAhead> places;
    std::array<Room, kAhead> rooms;
    for (std::size_t begin = 0; begin < hashes.size(); begin += kAhead) {
      const std::size_t size = std::min(kAhead, hashes.size() - begin);
      for (std::size_t i = 0; i < size; ++i) {
        places[i] = header_.shape.place(hashes[begin + i].hi);
        rooms[i] = room_of(places[i]);
        __builtin_prefetch(data_.data() + rooms[i].first * packing_.bucket_bits() / 8, 1);
        __builtin_prefetch(data_.data() + rooms[i].second * packing_.bucket_bits() / 8, 1);
      }
      for (std::size_t i = 0; i < size; ++i) {
        if (!visit(begin + i, places[i], rooms[i])) return begin + i;
      }
    }
    return hashes.size();
  }

  bool is_full() const noexcept {
    return header_.keys >= std::min(header_.capacity, header_.shape.slots()) ||
           header_.stash.size() >= kMostStashed;
  }

  /// Puts a fingerprint into a slot; returns the one that has no place then, if any.
  std::optional<Homeless> put(const Room& room, const Place& place) {
    Choices choices(header_.keys);
    return insert(
        header_.shape, place.first, place.fingerprint, choices,
        [&](std::uint64_t index) { return packing_.get(data_.data(), room.begin + index); },
        [&](std::uint64_t index, const Bucket& bucket) {
          packing_.set(data_.data(), room.begin + index, bucket);
        });
  }

  void count(const Room& room, bool held) noexcept {
    ++header_.keys;
    if (!held) header_.pairs += room.pairs();
  }

  /// Keeps a fingerprint of the room's segment that has no place.
  void stash(const Room& room, const Homeless& homeless) {
    const std::uint64_t other = header_.shape.other(homeless.bucket, homeless.fingerprint);
    const Stashed one{room.begin + std::min(homeless.bucket, other), homeless.fingerprint};
    header_.stash.insert(std::ranges::upper_bound(header_.stash, one), one);
  }

  bool holds(const Room& room, const Place& place) const noexcept {
    return holds(room.first, place) || holds(room.second, place) ||
           std::ranges::binary_search(header_.stash, stashed(room, place));
  }

  static Stashed stashed(const Room& room, const Place& place) noexcept {
    return {std::min(room.first, room.second), place.fingerprint};
  }

  bool holds(std::uint64_t index, const Place& place) const noexcept {
    const Bucket bucket = packing_.get(data_.data(), index);
    return std::ranges::find(bucket, place.fingerprint) != bucket.end();
  }

  /// Frees a slot that has the fingerprint; false if there is none.
  bool take(std::uint64_t index, const Place& place) noexcept {
    Bucket bucket = packing_.get(data_.data(), index);
    const auto found = std::ranges::find(bucket, place.fingerprint);
    if (found == bucket.end()) return false;
    *found = 0;
    packing_.set(data_.data(), index, bucket);
    return true;
  }

  /// Takes the fingerprint out of the stash, which a remove empties first; false if it is not in.
  bool take_stashed(const Room& room, const Place& place) {
    const auto [first, last] = std::ranges::equal_range(header_.stash, stashed(room, place));
    if (first == last) return false;
    header_.stash.erase(first);
    return true;
  }

  Header header_;
  Packing packing_;
  base::Bytes data_;  ///< buckets and padding
};

}  // namespace
}  // namespace cuckoo

std::unique_ptr<Editor> edit_cuckoo(base::ByteView section) {
  return std::make_unique<cuckoo::CuckooEditor>(section);
}

std::unique_ptr<SeenLayer> open_seen_layer(base::ByteView section) {
  return std::make_unique<cuckoo::CuckooEditor>(section);
}

namespace {

FilterOptions options_of(std::uint64_t capacity, double fpr) {
  return {.type = "cuckoo", .fpr = fpr, .capacity = capacity};
}

}  // namespace

std::unique_ptr<SeenLayer> new_seen_layer(std::uint64_t capacity, double fpr) {
  using namespace cuckoo;
  const FilterOptions options = options_of(capacity, fpr);
  const Shape shape = choose_shape(0, options);
  return std::make_unique<CuckooEditor>(
      Header{shape, 0, capacity_of(shape, bits::fixed_part(asked_fpr(options)))});
}

std::uint64_t seen_layer_bytes(std::uint64_t capacity, double fpr) {
  return cuckoo::choose_shape(0, options_of(capacity, fpr)).bytes();
}

}  // namespace crivo::filter
