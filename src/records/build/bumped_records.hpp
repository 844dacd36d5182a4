// SPDX-License-Identifier: Apache-2.0
/// The records of a store whose ranks are known only when its function is whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "records/build/record_batch.hpp"
#include "records/build/record_encoder.hpp"
#include "stream/run_log.hpp"

namespace crivo::records {

/// Appends a bumped key's record, of an entry of the batch, to those of a part: u64 and u64 the
/// key's hash; varint key length, varint record length, the key, the record.
void append_bumped(base::Bytes& bumped, const RecordBatch& batch, const RecordEntry& entry);

/// A bumped key's record, of which all is known.
struct RankedRecord {
  std::uint64_t rank = 0;
  std::uint64_t half = 0;  ///< the first of its hash
  std::string_view key;
  std::string_view record;
  base::ByteView raw;  ///< the raw record that they stand in
};

/// ranks[i] becomes the rank of hashes[i]: mphf::Function::ranks.
using RankHashes = std::function<void(std::span<const Hash128> hashes, std::uint64_t* ranks)>;

/// Calls use() with each of the bumped keys of a part (append_bumped()), in their order. Throws
/// Error(corrupt) for what is none such; Error(bad_input) for a rank that is not below `records`.
void rank_bumped(base::ByteView bumped, std::uint64_t records, const RankHashes& ranks,
                 const std::function<void(const RankedRecord& bumped_key)>& use);

/// Takes records in any order, and gives them back by rank. Where they take more than a part of the
/// memory they go through a temporary file; what is in memory at once is then about a 1024th of
/// them.
class BumpedRecords {
 public:
  /// Takes those of a store of so many records.
  BumpedRecords(const std::filesystem::path& temp_directory, std::uint64_t records,
                std::uint64_t memory_bytes);

  /// Adds the bumped keys of a part (append_bumped()). Throws Error(corrupt) for what is none such,
  /// Error(io).
  void add(base::ByteView bumped, const RankHashes& ranks);
  /// Ends the adding. Throws Error(io).
  void finish() { log_.finish(1); }
  /// The record of that rank, valid until the next call; ranks must ascend. Throws
  /// Error(bad_input) if there is none.
  HalvedRecord take(std::uint64_t rank);

  std::uint64_t temp_bytes() const noexcept { return log_.temp_bytes(); }

 private:
  static constexpr unsigned kPartitionBits = 10;

  struct Entry {
    std::uint64_t rank;
    const std::byte* bytes;
  };

  std::size_t partition_of(std::uint64_t rank) const noexcept;
  void load(std::size_t partition);

  std::uint64_t records_;
  stream::RunLog log_;               // by rank
  std::size_t next_ = 0;             // of the partitions to load
  std::vector<base::Bytes> loaded_;  // of those in the file
  std::vector<Entry> entries_;       // that are loaded, by rank
  std::size_t taken_ = 0;            // of entries_
};

}  // namespace crivo::records
