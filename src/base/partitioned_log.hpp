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

/// A fixed number of append-only runs of entries ("partitions"). Each has a buffer in memory; a
/// full buffer is written as one chunk to a temporary file that all partitions share and that no
/// name leads to. A log whose partitions all fit their buffers touches no disk. Memory: partitions
/// x buffer bytes, and kChunkBytes a chunk.
class PartitionedLog {
 public:
  static constexpr std::size_t kChunkBytes = 16;

  /// `directory` is where the temporary file goes, if one is needed.
  PartitionedLog(std::filesystem::path directory, std::size_t partitions, std::size_t buffer_bytes);

  /// Appends an entry, which is `pieces` one after the other. May be called from any thread. Throws
  /// Error(io) if the temporary file cannot be written (a full disk).
  void append(std::size_t partition, std::initializer_list<std::span<const std::byte>> pieces);

  /// The number of bytes appended to a partition. Not while another thread appends to it.
  std::uint64_t size(std::size_t partition) const noexcept { return partitions_[partition].bytes; }
  /// Appends to `to` the next entries of a partition, whole ones and in the order of the appends:
  /// `least_bytes` of them, or all that are left; false if none are. `chunk` is 0 for the first
  /// call and belongs to this. Not while another thread appends to the partition. Throws Error(io).
  bool read(std::size_t partition, std::size_t& chunk, std::size_t least_bytes,
            std::vector<std::byte>& to) const;

  /// The size of the temporary file.
  std::uint64_t temp_bytes() const noexcept { return file_end_.load(std::memory_order_relaxed); }

 private:
  struct Chunk {
    std::uint64_t offset;
    std::uint64_t size;
  };
  static_assert(sizeof(Chunk) == kChunkBytes);
  struct Partition {
    std::mutex mutex;
    std::vector<std::byte> buffer;
    std::vector<Chunk> chunks;
    std::uint64_t bytes = 0;
  };

  void spill(Partition& partition, std::initializer_list<std::span<const std::byte>> pieces);

  std::filesystem::path directory_;
  std::size_t buffer_bytes_;
  std::unique_ptr<Partition[]> partitions_;
  Once file_created_;
  FileDescriptor file_;
  std::atomic<std::uint64_t> file_end_{0};
};

}  // namespace crivo::base
