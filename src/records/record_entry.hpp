// SPDX-License-Identifier: Apache-2.0
/// A record on its way to its part of a store, in memory or in a temporary file: u64 and u64 the
/// hash of its key; u64 its order in the input; u32 the key's length; u32 the record's length; the
/// key; the record.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"

namespace crivo::records {

/// An entry that is whole.
class RecordEntry {
 public:
  static constexpr std::size_t kHeaderBytes = 32;

  static constexpr std::size_t size_of(std::string_view key, std::string_view record) noexcept {
    return kHeaderBytes + key.size() + record.size();
  }
  /// Fills size_of() bytes.
  static void write(std::byte* to, Hash128 hash, std::uint64_t order, std::string_view key,
                    std::string_view record) noexcept {
    base::store_le(to, hash.hi);
    base::store_le(to + 8, hash.lo);
    base::store_le(to + 16, order);
    base::store_le(to + 24, static_cast<std::uint32_t>(key.size()));
    base::store_le(to + 28, static_cast<std::uint32_t>(record.size()));
    std::ranges::copy(base::as_bytes(key), to + kHeaderBytes);
    std::ranges::copy(base::as_bytes(record), to + kHeaderBytes + key.size());
  }

  explicit RecordEntry(const std::byte* at) noexcept : at_(at) {}

  Hash128 hash() const noexcept {
    return {base::load_le<std::uint64_t>(at_), base::load_le<std::uint64_t>(at_ + 8)};
  }
  std::uint64_t order() const noexcept { return base::load_le<std::uint64_t>(at_ + 16); }
  std::uint32_t key_size() const noexcept { return base::load_le<std::uint32_t>(at_ + 24); }
  std::size_t size() const noexcept { return kHeaderBytes + pair_size(); }
  /// The key and the record behind it.
  std::string_view pair() const noexcept {
    return base::as_text({at_ + kHeaderBytes, pair_size()});
  }
  std::string_view key() const noexcept { return pair().substr(0, key_size()); }
  std::string_view record() const noexcept { return pair().substr(key_size()); }

  /// Asks for what size() will read, and then for what else pair() will.
  void prefetch_header() const noexcept { __builtin_prefetch(at_ + 24); }
  void prefetch_rest() const noexcept {
    constexpr std::size_t kMost = 512;
    constexpr std::size_t kLine = 64;
    const std::size_t bytes = std::min(size(), kMost);
    for (std::size_t at = kLine; at < bytes + kLine - 1; at += kLine) __builtin_prefetch(at_ + at);
  }

 private:
  std::size_t pair_size() const noexcept {
    return std::size_t{key_size()} + base::load_le<std::uint32_t>(at_ + 28);
  }

  const std::byte* at_;
};

}  // namespace crivo::records
