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
#include "records/limits.hpp"

namespace crivo::records {

/// Keeps some records of all that are added, those with the least hashes of their keys: which these
/// are depends neither on the order of the records nor on the threads. From 6.4 to 12.8 MB of
/// them, or all.
class SizeEstimate {
 public:
  /// Adds a record. May be called from any thread. Throws Error(bad_input) for a key or record over
  /// the limits.
  void add(std::string_view key, std::string_view record);

  /// About how many bytes the environment and its dictionary will take: what is kept goes into
  /// blocks and groups as EnvironmentWriter would make them, compressed with a dictionary trained
  /// on it, and their pages are counted. Some 1 s of one thread at most. Once, after the last
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

  std::atomic<std::uint64_t> bound_{UINT64_MAX};  // records whose hash is at most this are kept
  std::atomic<std::uint64_t> added_{0};           // bytes of all keys and records
  std::mutex mutex_;
  std::vector<Kept> kept_;
  std::uint64_t kept_bytes_ = 0;  // of their keys and of what is kept of their records
};

}  // namespace crivo::records
