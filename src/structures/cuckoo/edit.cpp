// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "structures/cuckoo/bucket.hpp"
#include "structures/cuckoo/cuckoo.hpp"
#include "structures/cuckoo/insert.hpp"
#include "structures/cuckoo/shape.hpp"

namespace crivo::filter {
namespace cuckoo {
namespace {

class CuckooEditor final : public Editor {
 public:
  explicit CuckooEditor(base::ByteView section)
      : header_(Header::decode(section)),
        packing_(header_.shape.fingerprints),
        data_(section.begin() + kHeaderBytes,
              section.begin() + static_cast<std::ptrdiff_t>(kHeaderBytes + header_.shape.bytes() +
                                                            bits::kFieldPadding)) {}

  bool add(Hash128 hash) override {
    const Place place = header_.shape.place(hash);
    const Room room = room_of(place);
    const bool held = holds(room, place);
    // A damaged header may say that there is more than there is.
    if (header_.keys >= header_.shape.slots()) return false;
    Choices choices(header_.keys);
    const auto homeless = insert(
        header_.shape, place.first, place.fingerprint, choices,
        [&](std::uint64_t index) { return packing_.get(data_.data(), room.begin + index); },
        [&](std::uint64_t index, const Bucket& bucket) {
          packing_.set(data_.data(), room.begin + index, bucket);
        });
    if (homeless) return false;
    ++header_.keys;
    if (!held) header_.pairs += room.pairs();
    return true;
  }

  bool remove(Hash128 hash) override {
    const Place place = header_.shape.place(hash);
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

}  // namespace crivo::filter
