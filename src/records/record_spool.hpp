// SPDX-License-Identifier: Apache-2.0
/// Records as they come from the input, by their keys' hashes: in memory as far as they fit, else
/// in a temporary file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "records/record_batch.hpp"
#include "stream/run_log.hpp"

namespace crivo::records {

class RecordSpool final : public RecordSource {
 public:
  /// 2^bits pieces; kMostBits at most. Takes `memory_bytes`, or some times the largest record if
  /// that is more. `log_name` is the file's name, where it is to outlive the process.
  RecordSpool(const std::filesystem::path& temp_directory, unsigned bits, unsigned threads,
              std::uint64_t memory_bytes, const std::filesystem::path& log_name = {});
  static constexpr unsigned kMostBits = 13;
  /// Of a key and its record, of so many bytes together, in memory.
  static constexpr double held_bytes(double pair_bytes) noexcept {
    return pair_bytes + static_cast<double>(RecordEntry::kHeaderBytes);
  }

  /// Adds a record, on the thread of that number; `order` ascends in the order of the input. Throws
  /// Error(bad_input) for a key or record over the limits, Error(io) if the disk is full.
  void add(unsigned thread, Hash128 hash, std::uint64_t order, std::string_view key,
           std::string_view record);
  /// Ends the adding, on so many threads. Throws Error(io).
  void finish(unsigned threads) { log_.finish(threads); }

  /// What stream::RunLog has for a log with a name.
  const stream::LoggedRuns& log_all() { return log_.log_all(); }
  void go_on_from(const stream::LoggedRuns& logged) { log_.go_on_from(logged); }

  unsigned piece_bits() const noexcept override { return log_.piece_bits(); }
  /// After finish(). Throws what stream::RunLog::read() does.
  void read(unsigned bits, std::uint64_t index, RecordBatch& to) const override;

  std::uint64_t temp_bytes() const noexcept { return log_.temp_bytes(); }
  std::uint64_t memory_bytes() const noexcept { return log_.held_bytes(); }

 private:
  stream::RunLog log_;
};

}  // namespace crivo::records
