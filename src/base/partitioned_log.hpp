// SPDX-License-Identifier: Apache-2.0
/// Bytes sorted into partitions in bounded memory: what does not fit is spilled to a temporary
/// file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/file_descriptor.hpp"
#include "base/once.hpp"

namespace crivo::base {

/// What stands in a log with a name, once all of it was written.
struct LoggedPartitions {
  /// Bytes of the log, which kCheckBytes follow.
  struct Chunk {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };
  static constexpr std::uint64_t kCheckBytes = 8;

  std::uint64_t partitions = 0;
  std::uint64_t salt = 0;  ///< of the checks: no other log has them
  std::uint64_t log_bytes = 0;
  /// Lists of the chunks of partitions, which stand in the log too: each those that were written
  /// since the one before it, as u64 partition, u64 offset, u64 bytes.
  std::vector<Chunk> lists{};

  /// Whether it is in the log whole.
  bool has(const Chunk& chunk) const noexcept {
    if (log_bytes < kCheckBytes || chunk.bytes > log_bytes - kCheckBytes) return false;
    return chunk.offset <= log_bytes - kCheckBytes - chunk.bytes;
  }
};

/// A fixed number of append-only runs of entries ("partitions"). Each has a buffer in memory; a
/// full buffer is written as one chunk to a temporary file that all partitions share and that no
/// name leads to, unless it is given one. A log whose partitions all fit their buffers touches no
/// disk. Memory: partitions x buffer bytes, and kChunkBytes a chunk.
class PartitionedLog {
 public:
  static constexpr std::size_t kChunkBytes = 16;

  /// `directory` is where the temporary file goes, if one is needed; `name` is its name, where it
  /// is to outlive the process. Throws Error(io) if it has one and the system has no random bits.
  PartitionedLog(std::filesystem::path directory, std::size_t partitions, std::size_t buffer_bytes,
                 std::filesystem::path name = {});

  /// Appends an entry, which is `pieces` one after the other. May be called from any thread. Throws
  /// Error(io) if the temporary file cannot be written (a full disk).
  void append(std::size_t partition, std::initializer_list<std::span<const std::byte>> pieces);

  /// Writes all that was appended to the log, which has a name, durably; the appending goes on
  /// afterwards. No thread appends meanwhile. Throws Error(io).
  const LoggedPartitions& log_all();
  /// Goes on from what log_all() returned, of as many partitions, before anything was appended.
  /// Throws Error(corrupt) if the log is shorter, or damaged where its chunks are listed;
  /// Error(io).
  void go_on_from(const LoggedPartitions& logged);

  /// The number of bytes appended to a partition. Not while another thread appends to it.
  std::uint64_t size(std::size_t partition) const noexcept { return partitions_[partition].bytes; }
  /// Appends to `to` the next entries of a partition, whole ones and in the order of the appends:
  /// `least_bytes` of them, or all that are left; false if none are. `chunk` is 0 for the first
  /// call and belongs to this. Not while another thread appends to the partition. Throws Error(io),
  /// and Error(corrupt) where a log with a name does not hold what was written to it.
  bool read(std::size_t partition, std::size_t& chunk, std::size_t least_bytes,
            std::vector<std::byte>& to) const;

  /// The file's; empty if it has none.
  const std::filesystem::path& name() const noexcept { return name_; }
  /// The size of the temporary file.
  std::uint64_t temp_bytes() const noexcept { return file_end_.load(std::memory_order_relaxed); }

 private:
  using Chunk = LoggedPartitions::Chunk;
  using Pieces = std::initializer_list<std::span<const std::byte>>;
  static_assert(sizeof(Chunk) == kChunkBytes);
  static constexpr std::uint64_t kCheckBytes = LoggedPartitions::kCheckBytes;
  struct Partition {
    std::mutex mutex;
    std::vector<std::byte> buffer;
    std::vector<Chunk> chunks;
    std::size_t listed = 0;  ///< chunks that are in a list
    std::uint64_t bytes = 0;
  };

  bool has_name() const noexcept { return !name_.empty(); }
  void spill(Partition& partition, Pieces pieces);
  Chunk write(Pieces pieces);
  void read_chunk(const Chunk& chunk, std::vector<std::byte>& to) const;
  std::uint64_t check_of(std::uint64_t offset, Pieces pieces) const;

  std::filesystem::path directory_;
  std::filesystem::path name_;  ///< empty: none
  std::size_t buffer_bytes_;
  std::unique_ptr<Partition[]> partitions_;
  LoggedPartitions logged_;
  Once file_created_;
  FileDescriptor file_;
  std::atomic<std::uint64_t> file_end_{0};
};

}  // namespace crivo::base
