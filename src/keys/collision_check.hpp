/// Tells equal keys from different keys with one hash.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "util/hash128.hpp"

namespace crivo::keys {

/// Holds another hash, of 64 bits, of the first key seen with each of some hashes, and compares
/// those of the others: so it takes neither the order nor the texts of the keys, and 8 to 12 bytes
/// a repeated hash.
class CollisionCheck {
 public:
  /// `repeated` are ascending, and must outlive it.
  explicit CollisionCheck(std::span<const Hash128> repeated);

  /// Sees keys and their hashes, with the cache misses of a block of them overlapped. From any
  /// thread; expected O(1) a key, and O(log(repeats)) for any hashes.
  void see(std::span<const Hash128> hashes, std::span<const std::string_view> keys) noexcept;

  /// Whether two of the keys seen that differ have one of the hashes.
  bool found() const noexcept { return found_.load(std::memory_order_relaxed); }

 private:
  void compare(std::size_t place, std::string_view key) noexcept;

  std::span<const Hash128> repeated_;
  unsigned index_bits_;
  std::vector<std::uint64_t> index_;  ///< of the first hash with so many leading bits or more
  std::unique_ptr<std::atomic<std::uint64_t>[]> seen_;  ///< 0: none yet
  std::atomic<bool> found_{false};
};

}  // namespace crivo::keys
