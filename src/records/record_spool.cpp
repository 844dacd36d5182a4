// SPDX-License-Identifier: Apache-2.0
#include "records/record_spool.hpp"

#include "base/arithmetic.hpp"
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
  const stream::RunLog::MakeRoom room = [&](std::size_t bytes) { return to.room(bytes); };
  for (std::size_t run = 0; run != log_.runs(); ++run) {
    base::ByteView entries = log_.read(run, begin, end, room);
    while (!entries.empty()) {
      const RecordEntry entry(entries.data());
      if (entries.size() < RecordEntry::kHeaderBytes || entries.size() < entry.size())
        log_.fail_damaged();
      const std::uint64_t half = entry.hash().hi;
      if (!is_finer || base::top_bits(half, bits) == index) to.refer(half, entries.data());
      entries = entries.subspan(entry.size());
    }
  }
}

}  // namespace crivo::records
