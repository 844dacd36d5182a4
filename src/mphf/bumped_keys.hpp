/// The keys that a level leaves to the next one.
#pragma once

#include <cstdint>
#include <memory>

#include "stream/key_stream.hpp"
#include "stream/streamed_keys.hpp"
#include "util/hash128.hpp"

namespace crivo::mphf {

/// Hashes in any order, which become a key source of their own, in memory: some 18 bytes each. One
/// thread adds.
class BumpedKeys {
 public:
  /// For about `expected` hashes.
  explicit BumpedKeys(std::uint64_t expected)
      : stream_({.partition_bits = stream::partition_bits_for(expected)}) {}

  void add(Hash128 hash) { stream_.writer(0).add(hash); }
  /// Ends the adding; once.
  void finish() {
    keys_ = std::make_unique<const stream::StreamedKeys<Hash128>>(
        stream_, stream_.finish(), stream::NumberValues(), UINT64_MAX);
  }
  /// All of them. A lease throws stream::RepeatedHashes if two are equal.
  const stream::KeySource& keys() const noexcept { return *keys_; }

 private:
  stream::KeyStream<Hash128> stream_;
  std::unique_ptr<const stream::KeySource> keys_;
};

}  // namespace crivo::mphf
