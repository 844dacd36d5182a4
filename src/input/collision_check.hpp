// SPDX-License-Identifier: Apache-2.0
/// Tells equal keys from different keys with one hash.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "hashing/hash128.hpp"
#include "hashing/siphash.hpp"
#include "stream/key_stream.hpp"

namespace crivo::input {

/// What it takes of a machine, and of the keys.
struct ManyRepeatsOptions {
  std::uint64_t keys = 0;   ///< so many are seen
  std::uint64_t alike = 1;  ///< HashOptions::alike
  std::uint64_t memory_bytes = UINT64_MAX;
  std::filesystem::path temp_dir{};
};

/// Sorts all keys' hashes with the fingerprints that CollisionCheck compares, 24 bytes a key,
/// within the memory and then on temporary disk.
class ManyRepeats {
 public:
  ManyRepeats(const ManyRepeatsOptions& options, const hashing::SipKey& secret,
              const base::BuildContext& context);

  /// Sees keys and their hashes, on the thread of that number. Throws Error(io).
  void look_at(unsigned thread, std::span<const Hash128> hashes,
               std::span<const std::string_view> keys);
  /// The same, on thread 0, where Hash128::lo and siphash(key, secret) are what is left of them.
  void look_at(std::span<const std::uint64_t> low_halves,
               std::span<const std::uint64_t> fingerprints);

  /// Whether two of the keys seen that differ have one of the hashes. Once, after all were seen.
  /// Throws Error(io).
  bool found();

  std::uint64_t temp_bytes() const noexcept { return stream_.temp_bytes(); }

 private:
  static stream::StreamOptions stream_options(const ManyRepeatsOptions& options,
                                              const base::BuildContext& context);

  ManyRepeatsOptions options_;
  hashing::SipKey secret_;
  const base::BuildContext& context_;
  stream::KeyStream<stream::HashedValue> stream_;
};

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
  void look_at(std::span<const Hash128> hashes, std::span<const std::string_view> keys) noexcept;
  /// The same where siphash(key, secret) is what is left of the keys.
  void look_at(std::span<const Hash128> hashes,
               std::span<const std::uint64_t> fingerprints) noexcept;

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
