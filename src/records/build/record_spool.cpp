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

// A place in the input: this, then 6 bits number of the file, then the offset.
constexpr std::uint64_t kInInput = std::uint64_t{1} << 63;
constexpr unsigned kFileBits = 57;
static_assert(RecordSpool::kMostFiles == 1 << (63 - kFileBits));

static_assert(RecordEntry::kPlaceBytes == stream::RunLog::kTailPlace);

/// The entry, whose own check no other log has, says which record is its own.
std::uint64_t body_check(base::ByteView record) noexcept {
  return XXH3_64bits(record.data(), record.size());
}

}  // namespace

RecordSpool::RecordSpool(const std::filesystem::path& temp_directory, unsigned bits,
                         unsigned threads, std::uint64_t memory_bytes,
                         const std::filesystem::path& log_name, std::span<const InputText> input)
    : log_(temp_directory, bits, threads, memory_bytes, log_name, cut_tails), input_(input) {}

void RecordSpool::add_far(unsigned thread, Hash128 hash, std::uint64_t order, std::string_view key,
                          base::ByteView record, std::uint64_t at) {
  std::byte* const to = log_.add(thread, hash.hi, RecordEntry::size_of_far(key)).data();
  RecordEntry::write_far(to, hash, order, key, record.size(), {at, body_check(record)});
}

void RecordSpool::add_from_input(unsigned thread, Hash128 hash, std::uint64_t order,
                                 std::string_view key, std::string_view record, std::size_t file,
                                 std::uint64_t offset) {
  if (record.size() < kLeastInInput || offset >> kFileBits != 0)
    return add(thread, hash, order, key, record);
  check_limits(key, record);
  add_far(thread, hash, order, key, base::as_bytes(record),
          kInInput | std::uint64_t{file} << kFileBits | offset);
}

void RecordSpool::add(unsigned thread, Hash128 hash, std::uint64_t order, std::string_view key,
                      std::string_view record) {
  check_limits(key, record);
  const std::size_t size = RecordEntry::size_of(key, record);
  if (record.size() >= kLeastDirect && log_.spills(thread, size)) {
    const base::ByteView bytes = base::as_bytes(record);
    return add_far(thread, hash, order, key, bytes, log_.put_tail(bytes));
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
  // So far ahead of the entry at hand memory is asked for: each entry says where the next is, which
  // the processor does not guess.
  constexpr std::size_t kAhead = 2048;
  constexpr std::size_t kLine = 64;
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
      for (std::size_t at = 0; at < std::min(entry.size(), kAhead); at += kLine)
        __builtin_prefetch(entry.bytes() + kAhead + at);
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
  const bool is_in_input = (place.at & kInInput) != 0;
  if (!is_in_input && log_.temp_bytes() == 0) {  // all are in memory
    const auto* const record = std::bit_cast<const std::byte*>(place.at);
    to.insert(to.end(), record, record + size);
    return;
  }
  const std::size_t before = to.size();
  to.resize(before + size);
  const auto record = std::span(to).subspan(before);
  if (is_in_input) {
    const std::uint64_t file = (place.at ^ kInInput) >> kFileBits;
    if (file >= input_.size()) log_.fail_damaged();
    const InputText& input = input_[file];
    const std::uint64_t offset = place.at & ((std::uint64_t{1} << kFileBits) - 1);
    if (!input.file.read_at(offset, record) || body_check(record) != place.check)
      throw Error(ErrorKind::bad_input, input.name + ": was changed while it was read");
    return;
  }
  log_.read_tail(place.at, record);
  if (body_check(record) != place.check) log_.fail_damaged();
}

}  // namespace crivo::records
