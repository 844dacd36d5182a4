// SPDX-License-Identifier: Apache-2.0
/// A record on its way to its part of a store, in memory or in a temporary file: u64 and u64 the
/// hash of its key; u64 its order in the input; u32 the key's length and two flags; u32 the
/// record's length; the key; the record. Of a *far* record, which lies elsewhere, in its stead u64
/// its place and u64 a check of it, which are for its source to understand. In memory there are
/// *joined* ones: u64 a number of entries, and their addresses; the length is that of all, with a
/// LF between each two.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"

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
  /// Of key and record.
  std::size_t pair_size() const noexcept { return std::size_t{key_size()} + record_size(); }
  /// Of one that is not joined: all it takes.
  std::size_t size() const noexcept {
    return kHeaderBytes + key_size() + (is_far() ? kPlaceBytes : record_size());
  }
  std::string_view key() const noexcept { return base::as_text({at_ + kHeaderBytes, key_size()}); }
  /// Of a near one: the key and the record behind it.
  std::string_view pair() const noexcept {
    return base::as_text({at_ + kHeaderBytes, pair_size()});
  }
  std::string_view record() const noexcept { return pair().substr(key_size()); }
  /// Of a far one.
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

}  // namespace crivo::records
