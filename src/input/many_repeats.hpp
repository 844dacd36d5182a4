// SPDX-License-Identifier: Apache-2.0
/// Tells equal keys from different keys with one hash, where too many are equal to list them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/progress.hpp"
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
  void see(unsigned thread, std::span<const Hash128> hashes,
           std::span<const std::string_view> keys);
  /// The same, on thread 0, where Hash128::lo and siphash(key, secret) are what is left of them.
  void see(std::span<const std::uint64_t> low_halves, std::span<const std::uint64_t> fingerprints);

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

}  // namespace crivo::input
