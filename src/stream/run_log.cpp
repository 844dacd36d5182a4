// SPDX-License-Identifier: Apache-2.0
#include "stream/run_log.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/parallel.hpp"
#include "base/system_random.hpp"

namespace crivo::stream {

namespace {

// The bytes of runs in work: the first are short, so that few entries take little, and those that
// are kept in memory no longer than what a processor's caches hold, since they are copied out of
// their order.
constexpr std::uint64_t kFirstRunBytes = std::uint64_t{256} << 10;
constexpr std::uint64_t kMostHeldRunBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kMostRunBytes = std::uint64_t{64} << 20;

// Entries go to the file in writes of about so many bytes.
constexpr std::size_t kRunWriteBytes = std::size_t{256} << 10;
// So many ahead are asked for: they stand anywhere in the run.
constexpr std::size_t kAhead = 8;

// The sizes of the table.
constexpr std::size_t kPlaceBytes = 4;
constexpr std::size_t kPieceBytes = kPlaceBytes + 8;
constexpr std::size_t kFewPieces = 16;

/// The bytes of a writer's next run in memory, if its runs have taken so many, and a run that is
/// written has so many at most.
std::uint64_t next_run_bytes(std::uint64_t taken, std::uint64_t most_written) noexcept {
  const std::uint64_t most = std::min(kMostHeldRunBytes, most_written);
  return std::clamp(taken, std::min(kFirstRunBytes, most), most);
}

}  // namespace

std::span<RunLog::Entry> RunLog::Run::list() const noexcept {
  return {reinterpret_cast<Entry*>(memory.data() + memory.size()) - entries, entries};
}

bool RunLog::Run::has_room(std::size_t size) const noexcept {
  return size + (entries + 1) * sizeof(Entry) + used <= memory.size();
}

RunLog::RunLog(std::filesystem::path directory, unsigned piece_bits, unsigned writers,
               std::uint64_t memory_bytes, std::filesystem::path name, CutTails cut_tails)
    : file_(std::move(directory), std::move(name)),
      cut_tails_(std::move(cut_tails)),
      piece_bits_(piece_bits),
      memory_bytes_(memory_bytes),
      most_run_bytes_(most_run_bytes(writers, memory_bytes)),
      writers_(writers),
      spills_(file_.has_name()),
      logged_{.pieces = std::uint64_t{1} << piece_bits,
              .salt = file_.has_name() ? base::system_random() : 0} {}

std::uint64_t RunLog::most_run_bytes(unsigned writers, std::uint64_t memory_bytes) noexcept {
  return std::clamp(memory_bytes / writers, kLeastRunBytes, kMostRunBytes);
}

std::uint64_t RunLog::spilled_of(std::uint64_t bytes, std::uint64_t entries, unsigned writers,
                                 std::uint64_t memory_bytes) noexcept {
  const std::uint64_t most = most_run_bytes(writers, memory_bytes);
  const double listed = static_cast<double>(entries) * sizeof(Entry);
  const double share =
      static_cast<double>(bytes) / std::max(1.0, static_cast<double>(bytes) + listed);
  // As begin_run() does, of one writer.
  const double all = static_cast<double>(bytes) / writers;
  double held = 0;
  std::uint64_t run = 0;
  while (held + static_cast<double>(run) * share < all) {
    const std::uint64_t taken = static_cast<std::uint64_t>(held) + run;
    const std::uint64_t next = next_run_bytes(taken, most);
    if (writers * taken + next > memory_bytes) return bytes;
    held += static_cast<double>(run) * share;
    run = next;
  }
  return 0;
}

std::uint64_t RunLog::Tails::put(base::ByteView tail) {
  const std::uint64_t place = begin_ + some_.size();
  if (tail.size() >= kRunWriteBytes) {
    flush();
    file_.write_at(place, tail);
    begin_ += tail.size();
    return place;
  }
  some_.insert(some_.end(), tail.begin(), tail.end());
  if (some_.size() >= kRunWriteBytes) flush();
  return place;
}

void RunLog::Tails::flush() {
  file_.write_at(begin_, some_);
  begin_ += some_.size();
  some_.clear();
}

bool RunLog::spills(unsigned writer, std::size_t size) noexcept {
  const bool fits = writers_[writer].run.has_room(size) ||
                    taken_.load(std::memory_order_relaxed) + size + sizeof(Entry) <= memory_bytes_;
  if (!fits) spills_.store(true, std::memory_order_relaxed);
  return spills_.load(std::memory_order_relaxed);
}

std::span<std::byte> RunLog::add(unsigned writer, std::uint64_t number, std::size_t size,
                                 std::size_t tail) {
  Writer& own = writers_[writer];
  if (!own.run.has_room(size)) [[unlikely]] {
    begin_run(own, size);
  }
  Run& run = own.run;
  const std::span<std::byte> room{run.memory.data() + run.used, size};
  ++run.entries;
  run.list().front() = {static_cast<std::uint32_t>(base::top_bits(number, piece_bits_)),
                        static_cast<std::uint32_t>(run.used), static_cast<std::uint32_t>(size)};
  run.used += size;
  if (tail != 0) {
    ++run.tails.count;
    run.tails.bytes += tail;
  }
  return room;
}

void RunLog::begin_run(Writer& writer, std::size_t size) {
  const std::uint64_t least = size + sizeof(Entry);
  std::uint64_t bytes = std::max(least, next_run_bytes(writer.taken, most_run_bytes_));
  if (taken_.load(std::memory_order_relaxed) + bytes > memory_bytes_)
    spills_.store(true, std::memory_order_relaxed);
  if (spills_.load(std::memory_order_relaxed)) {
    write_all(writer);
    bytes = std::max(most_run_bytes_, least);
  } else if (writer.run.entries != 0) {
    hold(writer);
  }
  bytes = base::align_up(bytes, alignof(std::max_align_t));  // of the list at its end
  if (writer.run.memory.size() == bytes) return;
  give_back(writer, writer.run.memory.size());
  writer.run = {};
  writer.run.memory = base::HugeMemory(bytes);
  writer.taken += bytes;
  taken_ += bytes;
}

void RunLog::give_back(Writer& writer, std::uint64_t bytes) noexcept {
  writer.taken -= bytes;
  taken_ -= bytes;
}

/// Puts the list into the order of pieces, in place: each entry goes where its piece goes on.
void RunLog::order(Run& run) const {
  const std::span<Entry> list = run.list();
  std::vector<std::uint32_t>& begins = run.piece_begins;
  begins.assign((std::size_t{1} << piece_bits_) + 1, 0);
  for (const Entry& entry : list) ++begins[entry.piece + 1];
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  std::vector<std::uint32_t> next(begins.begin(), begins.end() - 1);
  for (std::size_t piece = 0; piece < next.size(); ++piece) {
    while (next[piece] != begins[piece + 1]) {
      Entry entry = list[next[piece]];
      while (entry.piece != piece) std::swap(entry, list[next[entry.piece]++]);
      list[next[piece]++] = entry;
    }
  }
}

void RunLog::append(base::ByteView entries, const TailSum& of_run, Tails& tails,
                    base::Bytes& to) const {
  if (of_run.count == 0) {
    to.insert(to.end(), entries.begin(), entries.end());
  } else {
    cut_tails_(entries, tails, to);
  }
}

/// Appends the entries of a piece to `to`, of a run in order; calls spill() between them.
template <typename Spill>
void RunLog::append_piece(const Run& run, std::uint64_t piece, Tails& tails, base::Bytes& to,
                          const Spill& spill) const {
  const std::span<const Entry> list = run.list();
  for (std::size_t i = run.piece_begins[piece]; i != run.piece_begins[piece + 1]; ++i) {
    if (i + kAhead < list.size()) __builtin_prefetch(run.memory.data() + list[i + kAhead].begin);
    const std::byte* const entry = run.memory.data() + list[i].begin;
    append({entry, list[i].size}, run.tails, tails, to);
    spill();
  }
}

/// Keeps what is in work in memory, in the order of pieces. The list is not put into order for it:
/// all of the run is in the caches, wherever its entries go.
void RunLog::hold(Writer& writer) {
  Run& run = writer.run;
  HeldRun held{base::HugeMemory(run.used), run.tails,
               std::vector<std::uint32_t>(logged_.pieces + 1)};
  const std::span<const Entry> list = run.list();
  for (const Entry& entry : list) held.piece_begins[entry.piece + 1] += entry.size;
  for (std::size_t i = 1; i < held.piece_begins.size(); ++i)
    held.piece_begins[i] += held.piece_begins[i - 1];
  std::vector<std::uint32_t> next(held.piece_begins.begin(), held.piece_begins.end() - 1);
  for (std::size_t i = list.size(); i-- != 0;) {  // the first stands last
    const Entry& entry = list[i];
    std::copy_n(
        run.memory.data() + entry.begin, entry.size,
        held.bytes.data() + std::exchange(next[entry.piece], next[entry.piece] + entry.size));
  }
  writer.taken += run.used;
  taken_ += run.used;
  writer.full.push_back(std::move(held));
  run.entries = run.used = 0;
  run.tails = {};
}

void RunLog::write_all(Writer& writer) {
  for (HeldRun& held : writer.full) {
    const std::uint64_t bytes = held.piece_begins.back();
    const auto append_held = [&](std::uint64_t piece, Tails& tails, base::Bytes& to, const auto&) {
      append({held.bytes.data() + held.piece_begins[piece],
              held.bytes.data() + held.piece_begins[piece + 1]},
             held.tails, tails, to);
    };
    write(bytes, held.tails, append_held);
    give_back(writer, bytes);
    held = {};
  }
  writer.full.clear();
  if (writer.run.entries == 0) return;
  order(writer.run);
  write(writer.run.used, writer.run.tails,
        [&](std::uint64_t piece, Tails& tails, base::Bytes& to, const auto& spill) {
          append_piece(writer.run, piece, tails, to, spill);
        });
  writer.run.entries = writer.run.used = 0;
  writer.run.tails = {};
}

/// Writes a run of so many bytes in memory, whose pieces append_piece(piece, tails, to, spill)
/// appends.
template <typename AppendPiece>
void RunLog::write(std::uint64_t held_bytes, const TailSum& tail_sum,
                   const AppendPiece& append_piece) {
  const std::uint64_t bytes = held_bytes - tail_sum.bytes + kTailPlace * tail_sum.count;
  const std::uint64_t offset = file_.take(bytes + logged_.table_bytes() + tail_sum.bytes);
  Tails tails(file_, offset + bytes + logged_.table_bytes());
  base::Bytes table(logged_.table_bytes());
  hashing::StreamHash hash;
  base::Bytes some;
  std::uint64_t written = 0;
  std::size_t unhashed = 0;  // from here on, of the piece at hand
  const auto flush = [&] {
    file_.write_at(offset + written, some);
    written += some.size();
    some.clear();
  };
  const auto spill = [&] {
    if (some.size() < kRunWriteBytes) return;
    hash.add(base::ByteView(some).subspan(std::exchange(unhashed, 0)));
    flush();
  };
  for (std::uint64_t piece = 0; piece != logged_.pieces; ++piece) {
    begin_check(hash, offset, piece);
    std::byte* const place = table.data() + piece * kPieceBytes;
    base::store_le(place, static_cast<std::uint32_t>(written + some.size()));
    unhashed = some.size();
    append_piece(piece, tails, some, spill);
    hash.add(base::ByteView(some).subspan(unhashed));
    base::store_le(place + kPlaceBytes, hash.value());
    if (some.size() >= kRunWriteBytes) flush();
  }
  flush();
  tails.flush();
  base::store_le(table.data() + logged_.pieces * kPieceBytes, static_cast<std::uint32_t>(bytes));
  file_.write_at(offset + bytes, table);
  const std::scoped_lock lock(logged_mutex_);
  logged_.runs.push_back({offset, bytes});
}

void RunLog::begin_check(hashing::StreamHash& hash, std::uint64_t offset,
                         std::uint64_t piece) const {
  std::array<std::byte, 24> front;
  base::store_le(front.data(), logged_.salt);
  base::store_le(front.data() + 8, offset);
  base::store_le(front.data() + 16, piece);
  hash.reset();
  hash.add(front);
}

const LoggedRuns& RunLog::log_all() {
  for (Writer& writer : writers_) write_all(writer);
  file_.sync();
  logged_.log_bytes = temp_bytes();
  return logged_;
}

void RunLog::go_on_from(const LoggedRuns& logged) {
  logged_ = logged;
  file_.go_on_from(logged.log_bytes);
}

void RunLog::finish(unsigned threads) {
  base::parallel_for(threads, writers_.size(), [&](std::uint64_t i) {
    Writer& writer = writers_[i];
    if (spills_.load(std::memory_order_relaxed)) {
      write_all(writer);
    } else if (writer.run.entries != 0) {
      hold(writer);
    }
    give_back(writer, writer.run.memory.size());
    writer.run = {};
  });
  for (Writer& writer : writers_) std::ranges::move(writer.full, std::back_inserter(held_));
}

void RunLog::read_tail(std::uint64_t place, std::span<std::byte> to) const {
  if (place > temp_bytes() || to.size() > temp_bytes() - place) fail_damaged();
  file_.read_at(place, to);
}

base::ByteView RunLog::read(std::size_t run, std::uint64_t begin, std::uint64_t end,
                            const MakeRoom& room) const {
  if (run < held_.size()) {
    const HeldRun& held = held_[run];
    return {held.bytes.data() + held.piece_begins[begin],
            held.piece_begins[end] - held.piece_begins[begin]};
  }
  const auto& [offset, bytes] = logged_.runs[run - held_.size()];
  // The part of the table for these pieces: as many runs are read as the memory goes into all
  // entries, of a few pieces each.
  std::array<std::byte, kFewPieces * kPieceBytes + kPlaceBytes> of_few;
  base::Bytes of_many;
  if (end - begin > kFewPieces) of_many.resize((end - begin) * kPieceBytes + kPlaceBytes);
  const auto table = of_many.empty()
                         ? std::span(of_few).first((end - begin) * kPieceBytes + kPlaceBytes)
                         : std::span(of_many);
  const auto place_of = [&](std::uint64_t piece) {
    return base::load_le<std::uint32_t>(table.data() + (piece - begin) * kPieceBytes);
  };
  file_.read_at(offset + bytes + begin * kPieceBytes, table);
  const std::uint32_t first = place_of(begin);
  const std::uint32_t last = place_of(end);
  if (first > last || last > bytes) fail_damaged();
  const std::span<std::byte> entries = first == last ? std::span<std::byte>() : room(last - first);
  file_.read_at(offset + first, entries);
  hashing::StreamHash hash;
  for (std::uint64_t piece = begin; piece != end; ++piece) {
    const std::uint32_t from = place_of(piece);
    const std::uint32_t up_to = place_of(piece + 1);
    if (from < first || from > up_to || up_to > last) fail_damaged();
    const std::byte* const check = table.data() + (piece - begin) * kPieceBytes + kPlaceBytes;
    begin_check(hash, offset, piece);
    hash.add(entries.subspan(from - first, up_to - from));
    if (hash.value() != base::load_le<std::uint64_t>(check)) fail_damaged();
  }
  return entries;
}

}  // namespace crivo::stream
