// SPDX-License-Identifier: Apache-2.0
/// Records as they come from the input, by their keys' hashes: in memory as far as they fit, else
/// in a temporary file. There the longer ones are far: a part of a store has records of keys all
/// over a range of hashes, and must not read what the other keys of the range have.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/file_descriptor.hpp"
#include "records/build/record_batch.hpp"
#include "stream/run_log.hpp"

namespace crivo::records {

/// A plain file of an input, of which records are read again.
struct InputText {
  std::string name;
  base::FileDescriptor file;
};

class RecordSpool final : public RecordSource {
 public:
  /// 2^bits pieces; kMostBits at most. Takes `memory_bytes`, or some times the largest record if
  /// that is more. `log_name` is the file's name, where it is to outlive the process. `input` are
  /// the files of which records stay where they are; they outlive this.
  RecordSpool(const std::filesystem::path& temp_directory, unsigned bits, unsigned threads,
              std::uint64_t memory_bytes, const std::filesystem::path& log_name = {},
              std::span<const InputText> input = {});
  static constexpr unsigned kMostBits = 13;
  static constexpr std::size_t kMostFiles = 64;
  /// The size of a record that stays in its input: to read it again takes less than to keep it.
  static constexpr std::size_t kLeastInInput = std::size_t{4} << 10;
  /// The bytes in memory for a key and its record, of so many bytes together.
  static constexpr double held_bytes(double pair_bytes) noexcept {
    return pair_bytes + static_cast<double>(RecordEntry::kHeaderBytes);
  }

  /// Adds a record, on the thread of that number; `order` ascends in the order of the input. Throws
  /// Error(bad_input) for a key or record over the limits, Error(io) if the disk is full.
  void add(unsigned thread, Hash128 hash, std::uint64_t order, std::string_view key,
           std::string_view record);
  /// The same of a record that the file of that number has at `offset`: a long one stays there.
  void add_from_input(unsigned thread, Hash128 hash, std::uint64_t order, std::string_view key,
                      std::string_view record, std::size_t file, std::uint64_t offset);
  /// Ends the adding, on so many threads. Throws Error(io).
  void finish(unsigned threads) { log_.finish(threads); }

  /// As those of stream::RunLog, for a log with a name.
  const stream::LoggedRuns& log_all() { return log_.log_all(); }
  void go_on_from(const stream::LoggedRuns& logged) { log_.go_on_from(logged); }

  unsigned piece_bits() const noexcept override { return log_.piece_bits(); }
  bool copies_entries() const noexcept override { return temp_bytes() != 0; }
  /// After finish(). Throws what stream::RunLog::read() does.
  using RecordSource::read;
  void read(unsigned bits, std::uint64_t begin, std::uint64_t end, RecordBatch& to) const override;
  void append_far(const RecordEntry& entry, base::Bytes& to) const override {
    append_placed(entry.place(), entry.record_size(), to);
  }

  /// Where the record of an entry that read() gave lies for as long as this lives: of a far one, or
  /// of any that stays in memory.
  RecordEntry::Place place_of(const RecordEntry& entry) const noexcept;
  /// Appends the record, of so many bytes, that lies there. Throws Error(corrupt, io), and
  /// Error(bad_input) where its input was changed.
  void append_placed(const RecordEntry::Place& place, std::size_t size, base::Bytes& to) const;

  std::uint64_t temp_bytes() const noexcept { return log_.temp_bytes(); }
  std::uint64_t memory_bytes() const noexcept { return log_.held_bytes(); }

 private:
  /// stream::RunLog::CutTails of entries.
  static void cut_tails(base::ByteView entries, stream::RunLog::Tails& tails, base::Bytes& to);

  void add_far(unsigned thread, Hash128 hash, std::uint64_t order, std::string_view key,
               base::ByteView record, std::uint64_t at);

  stream::RunLog log_;
  std::span<const InputText> input_;
};

}  // namespace crivo::records
