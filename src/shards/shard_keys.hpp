// SPDX-License-Identifier: Apache-2.0
/// The keys of a part of a directory, as structures are built from them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "build/build_frame.hpp"
#include "shards/key_directory.hpp"
#include "stream/hash_source.hpp"
#include "stream/key_slice.hpp"

namespace crivo::index {

/// The hashes whose first half is from `least` to `most`.
struct HashRange {
  std::uint64_t least = 0;
  std::uint64_t most = UINT64_MAX;

  /// The range of a run of 2^bits partitions, one at least.
  static HashRange of(unsigned bits, const stream::PartitionRun& run) noexcept;
  bool empty() const noexcept { return least > most; }
  /// So many of n keys are in it, about.
  std::uint64_t keys_of(std::uint64_t n) const noexcept;
};

/// The pieces of a file that have keys of a range.
stream::PartitionRun pieces_of(const KeyTable& table, const HashRange& range) noexcept;

/// The keys of a directory in a range, with values where they are wanted: numbers are those in the
/// whole input. Read from the files as they are wanted, where these have pieces of a size that fits
/// the frame's budget; otherwise in memory as far as that goes, and in a temporary file.
class ShardKeys {
 public:
  /// Reads them. `directory` must outlive this. Throws Error(corrupt, io). This, keys() and
  /// repeated() throw stream::UnevenHashes where the hashes are not spread like random ones.
  static std::unique_ptr<ShardKeys> load(const KeyDirectory& directory, const HashRange& range,
                                         bool with_values, BuildFrame& frame);
  virtual ~ShardKeys() = default;
  static constexpr std::size_t kMostRepeated = std::size_t{1} << 16;

  /// Those that are leased count as distinct; where the directory keeps the first of equal ones,
  /// they are. Otherwise a lease of equal ones throws stream::RepeatedHashes.
  virtual const stream::HashSource& keys() const noexcept = 0;
  /// How many differ, of those in several rows, each of which is one of keys().
  virtual std::uint64_t distinct() const noexcept = 0;
  virtual std::uint64_t temp_bytes() const noexcept = 0;
  /// The sums of all keys, each of which must have been leased.
  virtual stream::KeySums sums() const noexcept = 0;
  /// The hashes that are there more than once, ascending; at most kMostRepeated. A pass over all.
  virtual std::vector<Hash128> repeated(const base::BuildContext& context) = 0;
};

/// Throws Error(bad_input) for keys whose hashes are not spread like random ones.
[[noreturn]] void fail_uneven(const KeyDirectory& directory);

/// Throws Error(bad_input) that says where two keys with one of these hashes stand.
[[noreturn]] void fail_repeated(const KeyDirectory& directory,
                                const std::vector<Hash128>& repeated);

}  // namespace crivo::index
