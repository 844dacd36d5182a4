// SPDX-License-Identifier: Apache-2.0
#include "base/partitioned_log.hpp"

#include <array>
#include <cerrno>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "base/lasting_log.hpp"
#include "base/system_random.hpp"
#include "hashing/stream_hash.hpp"

namespace crivo::base {

PartitionedLog::PartitionedLog(std::filesystem::path directory, std::size_t partitions,
                               std::size_t buffer_bytes, std::filesystem::path name)
    : directory_(std::move(directory)),
      name_(std::move(name)),
      buffer_bytes_(buffer_bytes),
      partitions_(std::make_unique<Partition[]>(partitions)),
      logged_{.partitions = partitions, .salt = has_name() ? system_random() : 0} {}

void PartitionedLog::append(std::size_t partition, Pieces pieces) {
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

/// Writes a chunk, unless it is empty.
void PartitionedLog::spill(Partition& partition, Pieces pieces) {
  const Chunk chunk = write(pieces);
  if (chunk.bytes != 0) partition.chunks.push_back(chunk);
}

PartitionedLog::Chunk PartitionedLog::write(Pieces pieces) {
  Chunk chunk;
  for (const auto piece : pieces) chunk.bytes += piece.size();
  if (chunk.bytes == 0) return chunk;
  file_created_.call([&] {
    file_ = has_name() ? open_lasting_log(name_) : FileDescriptor::unnamed_in(directory_);
  });
  chunk.offset =
      file_end_.fetch_add(chunk.bytes + (has_name() ? kCheckBytes : 0), std::memory_order_relaxed);
  std::uint64_t offset = chunk.offset;
  for (const auto piece : pieces) {
    file_.write_at(offset, piece);
    offset += piece.size();
  }
  if (has_name()) {
    std::array<std::byte, kCheckBytes> check;
    store_le(check.data(), check_of(chunk.offset, pieces));
    file_.write_at(offset, check);
  }
  return chunk;
}

std::uint64_t PartitionedLog::check_of(std::uint64_t offset, Pieces pieces) const {
  hashing::StreamHash hash;
  for (const std::uint64_t number : {logged_.salt, offset}) {
    std::array<std::byte, sizeof number> bytes;
    store_le(bytes.data(), number);
    hash.add(bytes);
  }
  for (const auto piece : pieces) hash.add(piece);
  return hash.value();
}

const LoggedPartitions& PartitionedLog::log_all() {
  FieldWriter list;
  for (std::uint64_t index = 0; index != logged_.partitions; ++index) {
    Partition& p = partitions_[index];
    spill(p, {p.buffer});
    p.buffer.clear();
    for (; p.listed != p.chunks.size(); ++p.listed) {
      const Chunk& chunk = p.chunks[p.listed];
      list.u64(index).u64(chunk.offset).u64(chunk.bytes);
    }
  }
  const Chunk chunk = write({list.view()});
  if (chunk.bytes != 0) logged_.lists.push_back(chunk);
  if (file_.is_open()) sync_lasting_log(file_, name_);
  logged_.log_bytes = temp_bytes();
  return logged_;
}

void PartitionedLog::go_on_from(const LoggedPartitions& logged) {
  logged_ = logged;
  file_created_.call([&] { file_ = open_lasting_log(name_); });
  cut_lasting_log(file_, name_, logged.log_bytes);
  file_end_ = logged.log_bytes;
  const std::string what = name_.string() + ": is damaged";
  std::vector<std::byte> bytes;
  for (const Chunk& chunk : logged.lists) {
    bytes.clear();
    read_chunk(chunk, bytes);
    FieldReader list(bytes, what);
    while (list.remaining() != 0) {
      const std::uint64_t index = list.u64();
      const Chunk listed{list.u64(), list.u64()};
      if (index >= logged.partitions || !logged.has(listed)) fail_damaged_log(name_);
      Partition& p = partitions_[index];
      p.chunks.push_back(listed);
      p.listed = p.chunks.size();
      p.bytes += listed.bytes;
    }
  }
}

/// Appends its bytes to `to`.
void PartitionedLog::read_chunk(const Chunk& chunk, std::vector<std::byte>& to) const {
  const std::size_t at = to.size();
  to.resize(at + chunk.bytes + (has_name() ? kCheckBytes : 0));
  if (!file_.read_at(chunk.offset, std::span(to).subspan(at))) {
    throw_system_error("a temporary file in " + directory_.string() + " was cut short", EIO);
  }
  if (!has_name()) return;
  const auto check = load_le<std::uint64_t>(to.data() + at + chunk.bytes);
  to.resize(at + chunk.bytes);
  if (check != check_of(chunk.offset, {std::span(to).subspan(at)})) fail_damaged_log(name_);
}

bool PartitionedLog::read(std::size_t partition, std::size_t& chunk, std::size_t least_bytes,
                          std::vector<std::byte>& to) const {
  const Partition& p = partitions_[partition];
  const std::size_t begin = to.size();
  for (; chunk <= p.chunks.size() && to.size() - begin < least_bytes; ++chunk) {
    if (chunk == p.chunks.size()) {
      to.insert(to.end(), p.buffer.begin(), p.buffer.end());
    } else {
      read_chunk(p.chunks[chunk], to);
    }
  }
  return to.size() != begin;
}

}  // namespace crivo::base
