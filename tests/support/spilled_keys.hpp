// SPDX-License-Identifier: Apache-2.0
/// Key sets that went through a temporary file, for tests.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "stream/key_stream.hpp"
#include "stream/streamed_keys.hpp"

namespace crivo::test {

/// Hashed keys in a stream of so little memory that a few thousand of them do not fit.
template <typename HashedKey>
class SpilledKeys {
 public:
  explicit SpilledKeys(const std::vector<HashedKey>& hashed_keys, unsigned partition_bits = 4)
      : stream_({.threads = 1,
                 .memory_bytes = stream::least_stream_bytes(1, partition_bits),
                 .partition_bits = partition_bits}) {
    for (const HashedKey& hashed : hashed_keys) stream_.writer(0).add(hashed);
    stream::Totals totals = stream_.finish();
    keys_ = std::make_unique<stream::StreamedKeys<HashedKey>>(stream_, std::move(totals), nullptr,
                                                              std::uint64_t{1} << 20);
  }

  const stream::HashSource& keys() const noexcept { return *keys_; }
  std::uint64_t temp_bytes() const noexcept { return stream_.temp_bytes(); }

 private:
  stream::KeyStream<HashedKey> stream_;
  std::unique_ptr<stream::StreamedKeys<HashedKey>> keys_;
};

}  // namespace crivo::test
