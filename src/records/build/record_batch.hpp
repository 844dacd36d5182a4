// SPDX-License-Identifier: Apache-2.0
/// Records in memory, with the hashes of their keys, and where they come from.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "hashing/hash128.hpp"

// A record on its way to its part of a store, in memory or in a temporary file: u64 and u64 the
// hash of its key; u64 its order in the input; u32 the key's length and two flags; u32 the
// record's length; the key; the record. Of a *far* record, which lies elsewhere, in its stead u64
// its place and u64 a check of it, which are for its source to understand. In memory there are
// *joined* ones: u64 a number of entries, and their addresses; the length is that of all, with a
// LF between each two.

namespace crivo::records {

/// An entry that is whole.
class RecordEntry {
 public:
  static constexpr std::size_t kHeaderBytes = 32;
  static constexpr std::size_t kPlaceBytes = 16;
  /// Records are far where they are not in memory, or only mapped, from so many bytes on. Entries
  /// are read by whoever may have a use for some of them, far records by who has: for less than
  /// this, a read of its own costs more than what is read in vain.
  static constexpr std::size_t kLeastFar = 1024;

  /// Where a far record lies.
  struct Place {
    std::uint64_t at = 0;
    std::uint64_t check = 0;
  };

  static constexpr std::size_t size_of(std::string_view key, std::string_view record) noexcept {
    return kHeaderBytes + key.size() + record.size();
  }
  /// Fills size_of() bytes.
  static void write(std::byte* to, Hash128 hash, std::uint64_t order, std::string_view key,
                    std::string_view record) noexcept {
    write_front(to, hash, order, key, record.size(), 0);
    std::ranges::copy(base::as_bytes(record), to + kHeaderBytes + key.size());
  }
  static constexpr std::size_t size_of_far(std::string_view key) noexcept {
    return kHeaderBytes + key.size() + kPlaceBytes;
  }
  /// Fills size_of_far() bytes.
  static void write_far(std::byte* to, Hash128 hash, std::uint64_t order, std::string_view key,
                        std::size_t record_size, const Place& place) noexcept {
    write_front(to, hash, order, key, record_size, kFar);
    base::store_le(to + kHeaderBytes + key.size(), place.at);
    base::store_le(to + kHeaderBytes + key.size() + 8, place.check);
  }
  static constexpr std::size_t size_of_joined(std::string_view key, std::size_t entries) noexcept {
    return kHeaderBytes + key.size() + (1 + entries) * sizeof(std::uint64_t);
  }
  /// Fills size_of_joined() bytes but for the addresses: of the first this returns the place.
  static std::byte* write_joined(std::byte* to, Hash128 hash, std::uint64_t order,
                                 std::string_view key, std::size_t record_size,
                                 std::size_t entries) noexcept {
    write_front(to, hash, order, key, record_size, kJoined);
    base::store_le(to + kHeaderBytes + key.size(), std::uint64_t{entries});
    return to + kHeaderBytes + key.size() + sizeof(std::uint64_t);
  }

  explicit RecordEntry(const std::byte* at) noexcept : at_(at) {}

  Hash128 hash() const noexcept {
    return {base::load_le<std::uint64_t>(at_), base::load_le<std::uint64_t>(at_ + 8)};
  }
  std::uint64_t order() const noexcept { return base::load_le<std::uint64_t>(at_ + 16); }
  bool is_far() const noexcept { return (key_field() & kFar) != 0; }
  bool is_joined() const noexcept { return (key_field() & kJoined) != 0; }
  /// Whether the record is in the entry.
  bool is_near() const noexcept { return (key_field() & (kFar | kJoined)) == 0; }
  std::uint32_t key_size() const noexcept { return key_field() & ~(kFar | kJoined); }
  std::uint32_t record_size() const noexcept { return base::load_le<std::uint32_t>(at_ + 28); }
  /// The bytes of key and record.
  std::size_t pair_size() const noexcept { return std::size_t{key_size()} + record_size(); }
  /// All that an entry takes which is not joined.
  std::size_t size() const noexcept {
    return kHeaderBytes + key_size() + (is_far() ? kPlaceBytes : record_size());
  }
  std::string_view key() const noexcept { return base::as_text({at_ + kHeaderBytes, key_size()}); }
  /// The key of a near entry, and the record behind it.
  std::string_view pair() const noexcept {
    return base::as_text({at_ + kHeaderBytes, pair_size()});
  }
  std::string_view record() const noexcept { return pair().substr(key_size()); }
  /// The place of a far entry's record.
  Place place() const noexcept { return {behind_key(0), behind_key(1)}; }
  /// Calls visit(entry) for itself, or for each of those that are joined.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    if (!is_joined()) return visit(*this);
    for (std::size_t i = 1; i <= behind_key(0); ++i)
      visit(RecordEntry(std::bit_cast<const std::byte*>(behind_key(i))));
  }
  const std::byte* bytes() const noexcept { return at_; }

  /// Asks for what size() will read, and then for what else pair() will.
  void prefetch_header() const noexcept { __builtin_prefetch(at_ + 24); }
  void prefetch_rest() const noexcept {
    constexpr std::size_t kMost = 512;
    constexpr std::size_t kLine = 64;
    const std::size_t bytes = std::min(size(), kMost);
    for (std::size_t at = kLine; at < bytes + kLine - 1; at += kLine) __builtin_prefetch(at_ + at);
  }

 private:
  static constexpr std::uint32_t kFar = std::uint32_t{1} << 31;
  static constexpr std::uint32_t kJoined = std::uint32_t{1} << 30;

  static void write_front(std::byte* to, Hash128 hash, std::uint64_t order, std::string_view key,
                          std::size_t record_size, std::uint32_t flags) noexcept {
    base::store_le(to, hash.hi);
    base::store_le(to + 8, hash.lo);
    base::store_le(to + 16, order);
    base::store_le(to + 24, static_cast<std::uint32_t>(key.size()) | flags);
    base::store_le(to + 28, static_cast<std::uint32_t>(record_size));
    std::ranges::copy(base::as_bytes(key), to + kHeaderBytes);
  }
  std::uint32_t key_field() const noexcept { return base::load_le<std::uint32_t>(at_ + 24); }
  std::uint64_t behind_key(std::size_t i) const noexcept {
    return base::load_le<std::uint64_t>(at_ + kHeaderBytes + key_size() + i * 8);
  }

  const std::byte* at_;
};

/// The treatment of a second record for a key. The order is that of the input.
enum class Duplicates {
  refuse,      ///< Error(bad_input)
  keep_first,  ///< the first record stays
  keep_last,   ///< the last one
  join,        ///< all, in their order, with a LF between each two
};

class RecordSource;

/// Some records, which are collected and then put in the order of their keys' hashes. Its memory
/// serves one filling after another.
class RecordBatch {
 public:
  void clear() noexcept;
  /// From here on, where many records are added, those that sort() would drop are dropped before,
  /// so that equal keys take no memory, however often they are there. Of records that are refused
  /// or joined, none are.
  void fold(Duplicates duplicates) noexcept;
  /// From here on, where many records are added, use() is called with those that were, which are
  /// gone behind it.
  using Use = std::function<void()>;
  void hand_on(Use use) noexcept;
  /// A record whose key's hash begins with `half`, and whose entry stays where it is.
  void refer(std::uint64_t half, const std::byte* entry) {
    if (places_.size() >= most_places_) [[unlikely]] {
      drop_places();
    }
    places_.push_back({half, entry});
  }
  /// Room for entries that are to be referred to before more is asked for, until clear().
  std::span<std::byte> room(std::size_t bytes) {
    if (room_bytes_ >= most_bytes_) [[unlikely]] {
      drop_bytes();
    }
    return take_room(bytes);
  }
  /// Copies a record. Of equal keys that with the lower `order` is the first.
  void add(Hash128 hash, std::uint64_t order, std::string_view key, std::string_view record);
  /// One that lies in the source.
  void add_far(Hash128 hash, std::uint64_t order, std::string_view key, std::size_t record_size,
               const RecordEntry::Place& place);
  /// Where far records are read from, which outlives the filling.
  void set_source(const RecordSource& source) noexcept { source_ = &source; }
  /// Sorts what was added since it was sorted last by hash, and leaves one record of each. Throws
  /// Error(bad_input) if two are equal that are to be refused, and for joined records over the
  /// limit.
  void sort(Duplicates duplicates);

  /// The number of entries that were left when it was sorted, and were added since.
  std::size_t size() const noexcept { return places_.size(); }
  RecordEntry operator[](std::size_t i) const noexcept { return RecordEntry(places_[i].entry); }
  /// The first half of its hash.
  std::uint64_t half(std::size_t i) const noexcept { return places_[i].half; }
  /// Appends the record of an entry, wherever it lies. Throws what RecordSource::append_far() does.
  void append_record(const RecordEntry& entry, base::Bytes& to) const;
  /// The same of its key and the record behind it.
  void append_pair(const RecordEntry& entry, base::Bytes& to) const;
  /// Both, where they lie together, or in `room`.
  std::string_view pair(const RecordEntry& entry, base::Bytes& room) const;
  /// The bytes that room() gave.
  std::size_t room_bytes() const noexcept { return room_bytes_; }

 private:
  /// The item to sort: for most records it tells all.
  struct Place {
    std::uint64_t half;
    const std::byte* entry;
  };
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
  };

  static constexpr std::size_t kManyPlaces = std::size_t{1} << 16;
  static constexpr std::size_t kManyBytes = std::size_t{8} << 20;

  std::span<std::byte> take_room(std::size_t bytes);
  /// Makes the places less, or what they are of as well, as was asked for.
  void drop_places();
  void drop_bytes();
  void bound_places() noexcept;
  void bound_bytes() noexcept;
  void sort_by_halves(std::span<Place> places);
  /// Sorts the entries that were added since it was sorted last: leaves one of each.
  void sort_added(Duplicates duplicates);
  /// Makes one record of those in `equal`, which are in order.
  const std::byte* merge(std::span<const Place> equal, Duplicates duplicates);

  const RecordSource* source_ = nullptr;
  std::vector<Place> places_;
  std::size_t sorted_size_ = 0;  ///< of them are sorted
  std::vector<Block> blocks_;    ///< of room; one, once a filling of that size was there before
  std::size_t used_ = 0;         ///< of the last one
  std::size_t taken_ = 0;        ///< by the blocks, of this filling or the last that had several
  std::size_t room_bytes_ = 0;
  std::optional<Duplicates> folded_;
  Use use_;
  std::size_t most_places_ = SIZE_MAX;  ///< before they are made less
  std::size_t most_bytes_ = SIZE_MAX;
  std::vector<Place> unsorted_;
  std::vector<std::uint32_t> bucket_begins_;
};

/// Records that can be read by their keys' hashes, from any thread.
class RecordSource {
 public:
  virtual ~RecordSource() = default;

  /// It is read by 2^bits pieces, of the keys whose hash begins with these bits; by more of them it
  /// reads as much for each call.
  virtual unsigned piece_bits() const noexcept = 0;
  /// Whether read() copies entries, as not all are in memory or mapped.
  virtual bool copies_entries() const noexcept { return false; }
  /// Adds the records of the pieces from `begin` to before `end` of 2^bits, those of equal keys
  /// among them; they may stay where they are in the source, which must outlive the filling. Throws
  /// Error(corrupt, io).
  virtual void read(unsigned bits, std::uint64_t begin, std::uint64_t end,
                    RecordBatch& to) const = 0;
  void read(unsigned bits, std::uint64_t index, RecordBatch& to) const {
    read(bits, index, index + 1, to);
  }
  /// Appends the record of a far entry that read() gave. From any thread. Throws Error(corrupt,
  /// io).
  virtual void append_far(const RecordEntry& entry, base::Bytes& to) const = 0;

 protected:
  /// Which of 2^own_bits pieces those of 2^bits lie in.
  struct Pieces {
    std::uint64_t begin;
    std::uint64_t end;
  };
  static Pieces pieces_of(unsigned own_bits, unsigned bits, std::uint64_t begin,
                          std::uint64_t end) noexcept {
    if (bits <= own_bits) return {begin << (own_bits - bits), end << (own_bits - bits)};
    return {begin >> (bits - own_bits), ((end - 1) >> (bits - own_bits)) + 1};
  }
  /// Whether a key whose hash begins with `half` is in those from `begin` to before `end` of
  /// 2^bits.
  static bool is_in(std::uint64_t half, unsigned bits, std::uint64_t begin,
                    std::uint64_t end) noexcept {
    const std::uint64_t index = base::top_bits(half, bits);
    return index >= begin && index < end;
  }
};

}  // namespace crivo::records
