// SPDX-License-Identifier: Apache-2.0
/// Records as they come from the input, in a temporary file by their keys' hashes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/partitioned_log.hpp"
#include "records/record_batch.hpp"

namespace crivo::records {

class RecordSpool final : public RecordSource {
 public:
  /// 2^bits pieces; kMostBits at most. Their buffers take an eighth of `memory_bytes`, but no less
  /// than 1 KiB each and no more than 8. `log_name` is the file's name, where it is to outlive the
  /// process.
  RecordSpool(const std::filesystem::path& temp_directory, unsigned bits,
              std::uint64_t memory_bytes, const std::filesystem::path& log_name = {});
  static constexpr unsigned kMostBits = 12;

  /// Adds a record; `order` ascends in the order of the input. May be called from any thread.
  /// Throws Error(bad_input) for a key or record over the limits, Error(io) if the disk is full.
  void add(Hash128 hash, std::uint64_t order, std::string_view key, std::string_view record);

  /// What base::PartitionedLog has for a log with a name.
  const base::LoggedPartitions& log_all() { return log_.log_all(); }
  void go_on_from(const base::LoggedPartitions& logged) { log_.go_on_from(logged); }

  unsigned piece_bits() const noexcept override { return bits_; }
  /// Not while records are added. Throws what base::PartitionedLog::read() does.
  void read(unsigned bits, std::uint64_t index, RecordBatch& to) const override;

  std::uint64_t temp_bytes() const noexcept { return log_.temp_bytes(); }
  /// What each record takes of memory for the list of what was written where, if a key and its
  /// record are of so many bytes together.
  static double listed_bytes(double pair_bytes, std::uint64_t memory_bytes) noexcept;

 private:
  unsigned bits_;
  base::PartitionedLog log_;
};

}  // namespace crivo::records
