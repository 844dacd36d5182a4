// SPDX-License-Identifier: Apache-2.0
/// Tells how large a store's data.mdb will be before it is built.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "records/codec.hpp"
#include "records/limits.hpp"

namespace crivo::records {

/// Keeps some records of all that are added, those with the least hashes of their keys: which these
/// are depends neither on the order of the records nor on the threads. From 8 to 16 MB of
/// them, or all.
class SizeEstimate {
 public:
  explicit SizeEstimate(const CodecRequest& request) : request_(request) {}

  /// Adds a record. May be called from any thread. Throws Error(bad_input) for a key or record over
  /// the limits.
  void add(std::string_view key, std::string_view record);

  /// About how many bytes the environment and its dictionary will take: what is kept goes into
  /// units and groups as EnvironmentWriter would make them, by a codec trained on it, and their
  /// pages are counted. A few seconds of one thread at most. Once, after the last
  /// add(). Throws Error(io) if memory runs out.
  std::uint64_t bytes();

 private:
  struct Kept {
    Hash128 hash;
    std::string key;
    std::string record;   // of a long one, the front
    std::size_t cut = 0;  // the bytes that were left away
  };
  void drop_upper_half();

  CodecRequest request_;
  std::atomic<std::uint64_t> bound_{UINT64_MAX};  // records whose hash is at most this are kept
  std::atomic<std::uint64_t> added_{0};           // bytes of all keys and records
  std::atomic<std::uint64_t> records_{0};
  std::mutex mutex_;
  std::vector<Kept> kept_;
  std::uint64_t kept_bytes_ = 0;  // of their keys and of what is kept of their records
};

}  // namespace crivo::records
