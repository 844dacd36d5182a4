// SPDX-License-Identifier: Apache-2.0
/// Brings records that come in input order into rank order, in bounded memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/partitioned_log.hpp"
#include "base/progress.hpp"
#include "hashing/hash128.hpp"

namespace crivo::records {

/// What becomes of a second record for a key.
enum class Duplicates {
  refuse,      ///< Error(bad_input)
  keep_first,  ///< the record with the lowest sequence number stays
  keep_last,   ///< that with the highest
  join,        ///< all, by sequence number, with a LF between each two
};

/// Spools records into partitions by the first bits of their hash, then gives them back in the
/// order of their ranks. A rank function over hash partitions (mphf::Function) keeps all but a few
/// (bumped) keys of a partition within an even share of the ranks, so that a partition is arranged
/// in memory by itself; those few are moved first. Any other bijection works too, with more to
/// move. Small partitions are arranged several together, a stretch, since the smaller they are, the
/// more keys leave them; one that is too large in several ranges of its ranks, and read as often.
class RecordSorter {
 public:
  static constexpr unsigned kPartitionBits = 10;
  static constexpr std::size_t kPartitions = std::size_t{1} << kPartitionBits;

  /// ranks[i] becomes the rank of hashes[i], below the number of hashes: mphf::Function::ranks.
  using Ranks = std::function<void(std::span<const Hash128> hashes, std::uint64_t* ranks)>;
  /// Gets the records in rank order, from rank 0; the texts are valid during the call.
  using Emit = std::function<void(Hash128 hash, std::string_view key, std::string_view record)>;

  /// Records go to a temporary file in `temp_directory`. Takes about a quarter of `memory_bytes`,
  /// but 3 MiB at least and 14 MiB while there are but small partitions, and the largest record
  /// twice.
  RecordSorter(const std::filesystem::path& temp_directory, Duplicates duplicates,
               std::uint64_t memory_bytes);

  /// Adds a record; `sequence` is its number in the input. May be called from any thread. Throws
  /// Error(bad_input) for a key or record over the limits, Error(io) if the disk is full.
  void add(Hash128 hash, std::uint64_t sequence, std::string_view key, std::string_view record);

  /// Emits every record, once; ranks run from 0 to `keys`, the number of distinct hashes.
  /// `progress` has two phases of n records: they are ranked, then emitted. Throws Error(bad_input)
  /// if two records claim a rank, or none does; Error(io); whatever `emit` throws.
  void emit(std::uint64_t keys, const Ranks& ranks, const Emit& emit, base::Progress& progress);

  /// What each record takes of memory for the list of what was written where, if a key and its
  /// record are of so many bytes together.
  static double listed_bytes(double pair_bytes, std::uint64_t memory_bytes) noexcept;
  /// What is arranged at once takes, if all partitions have as much.
  static std::uint64_t arranged_bytes(std::uint64_t all_bytes, std::uint64_t memory_bytes) noexcept;

  /// The temporary disk in use.
  std::uint64_t temp_bytes() const noexcept { return spool_.temp_bytes() + moved_.temp_bytes(); }

 private:
  void move_displaced(std::span<const std::uint64_t> bounds, const Ranks& ranks,
                      base::Progress& progress);
  void arrange(std::size_t stretch, std::uint64_t begin, std::uint64_t end, const Ranks& ranks);
  /// The records of a slot in one, with those that begin at `next` in repeated_, which is moved on.
  std::string_view join(std::size_t slot, std::size_t& next);

  Duplicates duplicates_;
  std::uint64_t most_arranged_;  // bytes at once, as far as records are of equal size
  base::PartitionedLog spool_;   // by the hash
  base::PartitionedLog moved_;   // by the rank's stretch: records whose hash is of another
  std::size_t together_ = 1;     // partitions a stretch: a power of two

  // Of the range that is arranged: its records, and where each is, by rank.
  std::vector<std::byte> entries_;
  std::vector<std::size_t> slots_;
  /// Of records that are joined: those of a slot beside its own, by slot and sequence number.
  struct Repeated {
    std::size_t slot;
    std::uint64_t sequence;
    std::size_t entry;
    auto operator<=>(const Repeated&) const = default;
  };
  std::vector<Repeated> repeated_;
  std::string joined_;
};

}  // namespace crivo::records
