/// A page group: several blocks that stand together as one value of the LMDB environment, chosen so
/// that they fill its pages well. Its key there is the rank of its last record.
///
/// Bytes: u64 checksum of the directory; u16 length of the directory; the directory: the varints
/// "records in the group", "blocks", and for each block "records", "raw bytes", "stored bytes";
/// then for each block u64 checksum of its stored bytes, and the stored bytes: a zstd frame, or the
/// raw bytes themselves where the two lengths are equal. See formats/store.md.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"

namespace crivo::records {

/// A group is closed before the block that would make it larger than this; only a single block
/// makes a larger group. Four pages of 4096 bytes less LMDB's header of 16.
inline constexpr std::uint64_t kGroupTarget = 4 * 4096 - 16;

/// One block as it is stored.
struct StoredBlock {
  std::uint32_t records = 0;
  std::uint32_t raw_size = 0;
  base::ByteView stored;  ///< compressed, or raw if as long as raw_size
};

/// Collects blocks into a group.
class GroupBuilder {
 public:
  bool empty() const noexcept { return blocks_.empty(); }
  std::uint32_t blocks() const noexcept { return static_cast<std::uint32_t>(blocks_.size()); }
  std::uint64_t records() const noexcept { return records_; }

  /// Whether the group, with `block` added, stays within kGroupTarget.
  bool fits(const StoredBlock& block) const noexcept;
  /// Adds a block whose first record has rank `first_rank`. Copies the stored bytes.
  void add(const StoredBlock& block, std::uint64_t first_rank);
  /// The group's bytes, whose last record has rank `last_rank`; the builder is empty afterwards.
  base::Bytes finish(std::uint64_t last_rank);

 private:
  std::uint64_t size_with(std::uint64_t records, std::uint64_t blocks, std::uint64_t entries,
                          std::uint64_t body) const noexcept;

  struct Entry {
    std::uint32_t records;
    std::uint32_t raw_size;
    std::uint32_t stored_size;
  };
  std::vector<Entry> blocks_;
  std::uint32_t records_ = 0;
  std::uint64_t entry_bytes_ = 0;  // of the blocks' varints
  base::Bytes body_;               // checksums and stored bytes
};

/// A group that is read, from untrusted bytes: nothing is read outside them.
class GroupReader {
 public:
  /// A block of the group, its checksum already compared.
  struct Block {
    std::uint64_t first_rank = 0;
    StoredBlock data;
  };

  /// Reads the directory of the group that ends with rank `last_rank`; false if it is damaged.
  bool open(base::ByteView group, std::uint64_t last_rank) noexcept;
  std::uint64_t first_rank() const noexcept { return first_rank_; }
  std::uint64_t last_rank() const noexcept { return last_rank_; }
  std::uint32_t blocks() const noexcept { return blocks_; }

  /// The block that holds `rank`; false if the group is damaged or does not hold the rank.
  bool find(std::uint64_t rank, Block& block) const noexcept;
  /// Whether the blocks' records and lengths add up to the whole group exactly.
  bool is_complete() const noexcept;

 private:
  base::ByteView entries_;  // the blocks' varints
  base::ByteView body_;
  std::uint64_t first_rank_ = 0;
  std::uint64_t last_rank_ = 0;
  std::uint32_t blocks_ = 0;
};

}  // namespace crivo::records
