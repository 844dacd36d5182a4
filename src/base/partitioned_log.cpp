#include "base/partitioned_log.hpp"

#include <algorithm>
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
  Partition& p = partitions_[partition];
  const std::scoped_lock lock(p.mutex);
  for (const auto piece : pieces) {
    if (piece.size() > buffer_bytes_ - p.buffer.size()) {
      spill(p, p.buffer);
      p.buffer.clear();
      p.buffer.reserve(buffer_bytes_);
    }
    if (piece.size() > buffer_bytes_) {  // a chunk of its own
      spill(p, piece);
    } else {
      p.buffer.insert(p.buffer.end(), piece.begin(), piece.end());
    }
    p.bytes += piece.size();
  }
}

void PartitionedLog::spill(Partition& partition, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  std::call_once(file_created_, [&] { file_ = FileDescriptor::unnamed_in(directory_); });
  const std::uint64_t offset = file_end_.fetch_add(bytes.size(), std::memory_order_relaxed);
  file_.write_at(offset, bytes);
  partition.chunks.push_back({offset, bytes.size()});
}

std::vector<std::byte> PartitionedLog::read(std::size_t partition) const {
  const Partition& p = partitions_[partition];
  std::vector<std::byte> bytes(p.bytes);
  std::uint64_t at = 0;
  for (const Chunk& chunk : p.chunks) {
    if (!file_.read_at(chunk.offset, std::span(bytes).subspan(at, chunk.size))) {
      throw_system_error("a temporary file in " + directory_.string() + " was cut short", EIO);
    }
    at += chunk.size;
  }
  std::copy(p.buffer.begin(), p.buffer.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
  return bytes;
}

}  // namespace crivo::base
