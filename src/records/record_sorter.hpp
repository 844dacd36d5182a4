/// Brings records that come in input order into rank order, in bounded memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

#include "base/partitioned_log.hpp"
#include "base/progress.hpp"
#include "hashing/hash128.hpp"

namespace crivo::records {

/// What becomes of a second record for a key.
enum class Duplicates {
  refuse,      ///< Error(bad_input)
  keep_first,  ///< the record with the lowest sequence number stays
};

/// Spools records into partitions by the first bits of their hash, then gives them back in the
/// order of their ranks. A rank function over hash partitions (mphf::Function) keeps all but a few
/// (bumped) keys of a partition within an even share of the ranks, so that a partition is arranged
/// in memory by itself; those few are moved first. Any other bijection works too, with more to
/// move. Memory: the logs' buffers (twice 8 MiB), and then about twice the largest partition.
class RecordSorter {
 public:
  static constexpr unsigned kPartitionBits = 10;
  static constexpr std::size_t kPartitions = std::size_t{1} << kPartitionBits;

  /// ranks[i] becomes the rank of hashes[i], below the number of hashes: mphf::Function::ranks.
  using Ranks = std::function<void(std::span<const Hash128> hashes, std::uint64_t* ranks)>;
  /// Gets the records in rank order, from rank 0; the texts are valid during the call.
  using Emit = std::function<void(std::string_view key, std::string_view record)>;

  /// Records that do not fit in memory go to a temporary file in `temp_directory`.
  RecordSorter(const std::filesystem::path& temp_directory, Duplicates duplicates);

  /// Adds a record; `sequence` is its number in the input. May be called from any thread. Throws
  /// Error(bad_input) for a key or record over the limits, Error(io) if the disk is full.
  void add(Hash128 hash, std::uint64_t sequence, std::string_view key, std::string_view record);

  /// Emits every record, once; ranks run from 0 to `keys`, the number of distinct hashes.
  /// `progress` has two phases of n records: they are ranked, then emitted. Throws Error(bad_input)
  /// if two records claim a rank, or none does; Error(io); whatever `emit` throws.
  void emit(std::uint64_t keys, const Ranks& ranks, const Emit& emit, base::Progress& progress);

  /// The temporary disk in use.
  std::uint64_t temp_bytes() const noexcept { return spool_.temp_bytes() + moved_.temp_bytes(); }

 private:
  void move_displaced(std::span<const std::uint64_t> bounds, const Ranks& ranks,
                      base::Progress& progress);

  Duplicates duplicates_;
  base::PartitionedLog spool_;  // by the hash
  base::PartitionedLog
      moved_;  // by the rank: records whose hash and rank are of different partitions
};

}  // namespace crivo::records
