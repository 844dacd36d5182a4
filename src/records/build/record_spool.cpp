// SPDX-License-Identifier: Apache-2.0
#include "records/build/record_spool.hpp"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <span>

#include "records/limits.hpp"

namespace crivo::records {
namespace {

// A record that is written by itself, and not copied before: each takes a call of the system.
constexpr std::size_t kLeastDirect = std::size_t{64} << 10;

static_assert(RecordEntry::kPlaceBytes == stream::RunLog::kTailPlace);

/// The entry, whose own check no other log has, says which record is its own.
std::uint64_t body_check(base::ByteView record) noexcept {
  return XXH3_64bits(record.data(), record.size());
}

}  // namespace

RecordSpool::RecordSpool(const std::filesystem::path& temp_directory, unsigned bits,
                         unsigned threads, std::uint64_t memory_bytes,
                         const std::filesystem::path& log_name)
    : log_(temp_directory, bits, threads, memory_bytes, log_name, cut_tails) {}

void RecordSpool::add(unsigned thread, Hash128 hash, std::uint64_t order, std::string_view key,
                      std::string_view record) {
  check_limits(key, record);
  const std::size_t size = RecordEntry::size_of(key, record);
  if (record.size() >= kLeastDirect && log_.spills(thread, size)) {
    const base::ByteView bytes = base::as_bytes(record);
    const RecordEntry::Place place{log_.put_tail(bytes), body_check(bytes)};
    std::byte* const to = log_.add(thread, hash.hi, RecordEntry::size_of_far(key)).data();
    RecordEntry::write_far(to, hash, order, key, record.size(), place);
    return;
  }
  const std::size_t tail = record.size() >= RecordEntry::kLeastFar ? record.size() : 0;
  RecordEntry::write(log_.add(thread, hash.hi, size, tail).data(), hash, order, key, record);
}

void RecordSpool::cut_tails(base::ByteView entries, stream::RunLog::Tails& tails, base::Bytes& to) {
  while (!entries.empty()) {
    const RecordEntry entry(entries.data());
    const base::ByteView whole = entries.first(entry.size());
    entries = entries.subspan(whole.size());
    if (entry.is_far() || entry.record_size() < RecordEntry::kLeastFar) {
      to.insert(to.end(), whole.begin(), whole.end());
      continue;
    }
    const base::ByteView record = base::as_bytes(entry.record());
    const RecordEntry::Place place{tails.put(record), body_check(record)};
    const std::size_t before = to.size();
    to.resize(before + RecordEntry::size_of_far(entry.key()));
    RecordEntry::write_far(to.data() + before, entry.hash(), entry.order(), entry.key(),
                           record.size(), place);
  }
}

void RecordSpool::read(unsigned bits, std::uint64_t begin, std::uint64_t end,
                       RecordBatch& to) const {
  to.set_source(*this);
  const bool is_finer = bits > piece_bits();
  const Pieces pieces = pieces_of(piece_bits(), bits, begin, end);
  const stream::RunLog::MakeRoom room = [&](std::size_t bytes) { return to.room(bytes); };
  for (std::size_t run = 0; run != log_.runs(); ++run) {
    base::ByteView entries = log_.read(run, pieces.begin, pieces.end, room);
    while (!entries.empty()) {
      const RecordEntry entry(entries.data());
      if (entries.size() < RecordEntry::kHeaderBytes || entry.is_joined() ||
          entries.size() < entry.size())
        log_.fail_damaged();
      const std::uint64_t half = entry.hash().hi;
      if (!is_finer || is_in(half, bits, begin, end)) to.refer(half, entries.data());
      entries = entries.subspan(entry.size());
    }
  }
}

RecordEntry::Place RecordSpool::place_of(const RecordEntry& entry) const noexcept {
  if (entry.is_far()) return entry.place();
  return {static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(entry.record().data())), 0};
}

void RecordSpool::append_placed(const RecordEntry::Place& place, std::size_t size,
                                base::Bytes& to) const {
  if (log_.temp_bytes() == 0) {  // all are in memory
    const auto* const record = std::bit_cast<const std::byte*>(place.at);
    to.insert(to.end(), record, record + size);
    return;
  }
  const std::size_t before = to.size();
  to.resize(before + size);
  const auto record = std::span(to).subspan(before);
  log_.read_tail(place.at, record);
  if (body_check(record) != place.check) log_.fail_damaged();
}

}  // namespace crivo::records
