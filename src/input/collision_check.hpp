// SPDX-License-Identifier: Apache-2.0
/// Tells equal keys from different keys with one hash.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "hashing/hash128.hpp"
#include "hashing/siphash.hpp"

namespace crivo::input {

/// Holds a fingerprint of the first key seen with each of some hashes, and compares those of the
/// others: so it takes neither the order nor the texts of the keys, and 8 to 12 bytes a repeated
/// hash.
///
/// A wrong "equal" loses a key. The hashes under test are XXH3's under a seed that is known, of
/// which anyone can make two keys of more than 240 bytes collide at will; and under another known
/// seed as well, or, since its product of two halves lets differences through, under several
/// unknown ones. So fingerprints are SipHash's, 64 bits under a secret that is drawn for the run:
/// two keys that differ pass for equal with probability 2^-64, whoever chose them.
class CollisionCheck {
 public:
  /// `repeated` are ascending, and must outlive it. `secret` is what fingerprints are made with.
  CollisionCheck(std::span<const Hash128> repeated, const hashing::SipKey& secret);

  /// Sees keys and their hashes, with the cache misses of a block of them overlapped. From any
  /// thread; expected O(1) a key, and O(log(repeats)) for any hashes.
  void see(std::span<const Hash128> hashes, std::span<const std::string_view> keys) noexcept;
  /// The same where siphash(key, secret) is what is left of the keys.
  void see(std::span<const Hash128> hashes, std::span<const std::uint64_t> fingerprints) noexcept;

  /// Whether two of the keys seen that differ have one of the hashes.
  bool found() const noexcept { return found_.load(std::memory_order_relaxed); }

 private:
  template <typename Fingerprint>
  void see_each(std::span<const Hash128> hashes, const Fingerprint& fingerprint_of) noexcept;
  void compare(std::size_t place, std::uint64_t fingerprint) noexcept;

  std::span<const Hash128> repeated_;
  hashing::SipKey secret_;
  unsigned index_bits_;
  std::vector<std::uint64_t> index_;  ///< of the first hash with so many leading bits or more
  std::unique_ptr<std::atomic<std::uint64_t>[]> seen_;  ///< 0: none yet
  std::atomic<bool> found_{false};
};

}  // namespace crivo::input
