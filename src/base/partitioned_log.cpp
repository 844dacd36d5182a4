// SPDX-License-Identifier: Apache-2.0
#include "base/partitioned_log.hpp"

#include <cerrno>
#include <utility>

namespace crivo::base {

PartitionedLog::PartitionedLog(std::filesystem::path directory, std::size_t partitions,
                               std::size_t buffer_bytes)
    : directory_(std::move(directory)),
      buffer_bytes_(buffer_bytes),
      partitions_(std::make_unique<Partition[]>(partitions)) {}

void PartitionedLog::append(std::size_t partition,
                            std::initializer_list<std::span<const std::byte>> pieces) {
  std::size_t size = 0;
  for (const auto piece : pieces) size += piece.size();
  Partition& p = partitions_[partition];
  const std::scoped_lock lock(p.mutex);
  if (size > buffer_bytes_ - p.buffer.size()) {
    spill(p, {p.buffer});
    p.buffer.clear();
    p.buffer.reserve(buffer_bytes_);
  }
  if (size > buffer_bytes_) {  // a chunk of its own
    spill(p, pieces);
  } else {
    for (const auto piece : pieces) p.buffer.insert(p.buffer.end(), piece.begin(), piece.end());
  }
  p.bytes += size;
}

/// Writes a chunk.
void PartitionedLog::spill(Partition& partition,
                           std::initializer_list<std::span<const std::byte>> pieces) {
  std::uint64_t size = 0;
  for (const auto piece : pieces) size += piece.size();
  if (size == 0) return;
  file_created_.call([&] { file_ = FileDescriptor::unnamed_in(directory_); });
  std::uint64_t offset = file_end_.fetch_add(size, std::memory_order_relaxed);
  partition.chunks.push_back({offset, size});
  for (const auto piece : pieces) {
    file_.write_at(offset, piece);
    offset += piece.size();
  }
}

bool PartitionedLog::read(std::size_t partition, std::size_t& chunk, std::size_t least_bytes,
                          std::vector<std::byte>& to) const {
  const Partition& p = partitions_[partition];
  const std::size_t begin = to.size();
  for (; chunk <= p.chunks.size() && to.size() - begin < least_bytes; ++chunk) {
    if (chunk == p.chunks.size()) {
      to.insert(to.end(), p.buffer.begin(), p.buffer.end());
      continue;
    }
    const auto [offset, size] = p.chunks[chunk];
    const std::size_t at = to.size();
    to.resize(at + size);
    if (!file_.read_at(offset, std::span(to).subspan(at))) {
      throw_system_error("a temporary file in " + directory_.string() + " was cut short", EIO);
    }
  }
  return to.size() != begin;
}

}  // namespace crivo::base
