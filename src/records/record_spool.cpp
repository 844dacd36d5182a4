// SPDX-License-Identifier: Apache-2.0
#include "records/record_spool.hpp"

#include "bits/arithmetic.hpp"
#include "records/limits.hpp"

namespace crivo::records {

RecordSpool::RecordSpool(const std::filesystem::path& temp_directory, unsigned bits,
                         unsigned threads, std::uint64_t memory_bytes,
                         const std::filesystem::path& log_name)
    : log_(temp_directory, bits, threads, memory_bytes, log_name) {}

void RecordSpool::add(unsigned thread, Hash128 hash, std::uint64_t order, std::string_view key,
                      std::string_view record) {
  check_limits(key, record);
  const std::size_t size = RecordEntry::size_of(key, record);
  RecordEntry::write(log_.add(thread, hash.hi, size).data(), hash, order, key, record);
}

void RecordSpool::read(unsigned bits, std::uint64_t index, RecordBatch& to) const {
  const bool is_finer = bits > piece_bits();
  const std::uint64_t begin =
      is_finer ? index >> (bits - piece_bits()) : index << (piece_bits() - bits);
  const std::uint64_t end = is_finer ? begin + 1 : (index + 1) << (piece_bits() - bits);
  const auto refer = [&](std::uint64_t half, const std::byte* entry) {
    if (!is_finer || bits::top_bits(half, bits) == index) to.refer(half, entry);
  };
  std::span<const std::byte> spilled;
  log_.read(
      begin, end,
      [&](const std::byte* run, std::span<const stream::RunLog::Entry> entries) {
        for (const stream::RunLog::Entry& entry : entries) refer(entry.number, run + entry.begin);
      },
      [&](std::size_t bytes) {
        const std::span<std::byte> room = to.room(bytes);
        spilled = room;
        return room;
      });
  while (!spilled.empty()) {
    const RecordEntry entry(spilled.data());
    if (spilled.size() < RecordEntry::kHeaderBytes || spilled.size() < entry.size())
      log_.fail_damaged();
    refer(entry.hash().hi, spilled.data());
    spilled = spilled.subspan(entry.size());
  }
}

}  // namespace crivo::records
