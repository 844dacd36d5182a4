// SPDX-License-Identifier: Apache-2.0
#include "stream/run_log.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/lasting_log.hpp"
#include "base/parallel.hpp"
#include "base/system_random.hpp"
#include "bits/arithmetic.hpp"

namespace crivo::stream {

namespace {

// Of runs in memory: the first are short, so that few entries take little.
constexpr std::uint64_t kFirstRunBytes = std::uint64_t{256} << 10;
constexpr std::uint64_t kMostRunBytes = std::uint64_t{64} << 20;

// Entries go to the file in writes of about so many bytes.
constexpr std::size_t kRunWriteBytes = std::size_t{256} << 10;
// So many ahead are asked for: they stand anywhere in the run.
constexpr std::size_t kAhead = 8;

// Of the table.
constexpr std::size_t kPlaceBytes = 4;
constexpr std::size_t kPieceBytes = kPlaceBytes + 8;

}  // namespace

std::span<RunLog::Entry> RunLog::Run::list() const noexcept {
  return {reinterpret_cast<Entry*>(memory.data() + memory.size()) - entries, entries};
}

bool RunLog::Run::has_room(std::size_t size) const noexcept {
  return size + (entries + 1) * sizeof(Entry) + used <= memory.size();
}

RunLog::RunLog(std::filesystem::path directory, unsigned piece_bits, unsigned writers,
               std::uint64_t memory_bytes, std::filesystem::path name)
    : directory_(std::move(directory)),
      name_(std::move(name)),
      piece_bits_(piece_bits),
      memory_bytes_(memory_bytes),
      most_run_bytes_(std::clamp(memory_bytes / writers, kLeastRunBytes, kMostRunBytes)),
      writers_(writers),
      spills_(!name_.empty()),
      logged_{.pieces = std::uint64_t{1} << piece_bits,
              .salt = name_.empty() ? 0 : base::system_random()} {}

std::span<std::byte> RunLog::add(unsigned writer, std::uint64_t number, std::size_t size) {
  Writer& own = writers_[writer];
  if (!own.run.has_room(size)) [[unlikely]] {
    begin_run(own, size);
  }
  Run& run = own.run;
  const std::span<std::byte> room{run.memory.data() + run.used, size};
  ++run.entries;
  run.list().front() = {number, static_cast<std::uint32_t>(run.used),
                        static_cast<std::uint32_t>(size)};
  run.used += size;
  return room;
}

void RunLog::begin_run(Writer& writer, std::size_t size) {
  const std::uint64_t least = bits::align_up(size + sizeof(Entry), sizeof(Entry));
  std::uint64_t bytes =
      std::clamp(writer.taken, std::min(kFirstRunBytes, most_run_bytes_), most_run_bytes_);
  bytes = std::max(bytes, least);
  if (taken_.load(std::memory_order_relaxed) + bytes > memory_bytes_)
    spills_.store(true, std::memory_order_relaxed);
  if (spills_.load(std::memory_order_relaxed)) {
    write_all(writer);
    bytes = std::max(most_run_bytes_, least);
    if (writer.run.memory.size() == bytes) return;
    give_back(writer, writer.run);
  } else if (writer.run.entries != 0) {
    order(writer.run);
    writer.full.push_back(std::move(writer.run));
  }
  writer.run = {};
  writer.run.memory = HugeMemory(bytes);
  writer.taken += bytes;
  taken_ += bytes;
}

void RunLog::give_back(Writer& writer, Run& run) noexcept {
  writer.taken -= run.memory.size();
  taken_ -= run.memory.size();
  run = {};
}

/// Puts the list into the order of pieces, in place: each entry goes where its piece goes on.
void RunLog::order(Run& run) const {
  const std::span<Entry> list = run.list();
  const auto piece_of = [this](const Entry& entry) {
    return bits::top_bits(entry.number, piece_bits_);
  };
  std::vector<std::uint32_t>& begins = run.piece_begins;
  begins.assign((std::size_t{1} << piece_bits_) + 1, 0);
  for (const Entry& entry : list) ++begins[piece_of(entry) + 1];
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  std::vector<std::uint32_t> next(begins.begin(), begins.end() - 1);
  for (std::size_t piece = 0; piece < next.size(); ++piece) {
    while (next[piece] != begins[piece + 1]) {
      Entry entry = list[next[piece]];
      for (std::size_t home = piece_of(entry); home != piece; home = piece_of(entry))
        std::swap(entry, list[next[home]++]);
      list[next[piece]++] = entry;
    }
  }
}

void RunLog::write_all(Writer& writer) {
  for (Run& run : writer.full) {
    write(run);
    give_back(writer, run);
  }
  writer.full.clear();
  if (writer.run.entries == 0) return;
  order(writer.run);
  write(writer.run);
  writer.run.entries = writer.run.used = 0;
}

/// A run that is in order.
void RunLog::write(const Run& run) {
  file_created_.call([&] {
    file_ = name_.empty() ? base::FileDescriptor::unnamed_in(directory_)
                          : base::open_lasting_log(name_);
  });
  const std::uint64_t offset =
      file_end_.fetch_add(run.used + logged_.table_bytes(), std::memory_order_relaxed);
  const std::span<const Entry> list = run.list();
  base::Bytes table(logged_.table_bytes());
  hashing::StreamHash hash;
  base::Bytes some;  // whole pieces
  std::uint64_t written = 0;
  const auto flush = [&] {
    file_.write_at(offset + written, some);
    written += some.size();
    some.clear();
  };
  for (std::uint64_t piece = 0; piece != logged_.pieces; ++piece) {
    if (some.size() >= kRunWriteBytes) flush();
    const std::size_t begin = some.size();
    for (std::size_t i = run.piece_begins[piece]; i != run.piece_begins[piece + 1]; ++i) {
      if (i + kAhead < list.size()) __builtin_prefetch(run.memory.data() + list[i + kAhead].begin);
      const std::byte* const entry = run.memory.data() + list[i].begin;
      some.insert(some.end(), entry, entry + list[i].size);
    }
    std::byte* const place = table.data() + piece * kPieceBytes;
    base::store_le(place, static_cast<std::uint32_t>(written + begin));
    base::store_le(place + kPlaceBytes,
                   check_of(hash, offset, piece, base::ByteView(some).subspan(begin)));
  }
  flush();
  base::store_le(table.data() + logged_.pieces * kPieceBytes, static_cast<std::uint32_t>(run.used));
  file_.write_at(offset + run.used, table);
  const std::scoped_lock lock(logged_mutex_);
  logged_.runs.push_back({offset, run.used});
}

std::uint64_t RunLog::check_of(hashing::StreamHash& hash, std::uint64_t offset, std::uint64_t piece,
                               base::ByteView entries) const {
  std::array<std::byte, 24> front;
  base::store_le(front.data(), logged_.salt);
  base::store_le(front.data() + 8, offset);
  base::store_le(front.data() + 16, piece);
  hash.reset();
  hash.add(front);
  hash.add(entries);
  return hash.value();
}

void RunLog::fail_damaged() const {
  base::fail_damaged_log(name_.empty() ? directory_ : name_);
}

const LoggedRuns& RunLog::log_all() {
  for (Writer& writer : writers_) write_all(writer);
  if (file_.is_open()) base::sync_lasting_log(file_, name_);
  logged_.log_bytes = temp_bytes();
  return logged_;
}

void RunLog::go_on_from(const LoggedRuns& logged) {
  logged_ = logged;
  file_created_.call([&] { file_ = base::open_lasting_log(name_); });
  base::cut_lasting_log(file_, name_, logged.log_bytes);
  file_end_ = logged.log_bytes;
}

void RunLog::finish(unsigned threads) {
  base::parallel_for(threads, writers_.size(), [&](std::uint64_t i) {
    Writer& writer = writers_[i];
    if (spills_.load(std::memory_order_relaxed)) {
      write_all(writer);
      give_back(writer, writer.run);
    } else if (writer.run.entries != 0) {
      order(writer.run);
      writer.full.push_back(std::move(writer.run));
      writer.run = {};
    }
  });
}

void RunLog::read(std::uint64_t begin, std::uint64_t end, const UseHeld& held,
                  const MakeRoom& room) const {
  for (const Writer& writer : writers_) {
    for (const Run& run : writer.full) {
      const std::uint32_t first = run.piece_begins[begin];
      const std::uint32_t last = run.piece_begins[end];
      if (first != last) held(run.memory.data(), run.list().subspan(first, last - first));
    }
  }
  if (logged_.runs.empty()) return;
  const std::size_t table_bytes = (end - begin) * kPieceBytes + kPlaceBytes;
  base::Bytes tables(logged_.runs.size() * table_bytes);  // what they say of these pieces
  const auto place_of = [&](std::size_t run, std::uint64_t piece) {
    return base::load_le<std::uint32_t>(tables.data() + run * table_bytes +
                                        (piece - begin) * kPieceBytes);
  };
  const auto fill = [&](std::uint64_t offset, std::span<std::byte> bytes) {
    if (!file_.read_at(offset, bytes)) fail_damaged();
  };
  std::uint64_t all = 0;
  for (std::size_t i = 0; i != logged_.runs.size(); ++i) {
    const LoggedRuns::Run& run = logged_.runs[i];
    fill(run.offset + run.bytes + begin * kPieceBytes,
         std::span(tables).subspan(i * table_bytes, table_bytes));
    const std::uint32_t first = place_of(i, begin);
    const std::uint32_t last = place_of(i, end);
    if (first > last || last > run.bytes) fail_damaged();
    all += last - first;
  }
  std::span<std::byte> to = all == 0 ? std::span<std::byte>() : room(all);
  hashing::StreamHash hash;
  for (std::size_t i = 0; i != logged_.runs.size(); ++i) {
    const std::uint64_t offset = logged_.runs[i].offset;
    const std::uint32_t first = place_of(i, begin);
    const std::span<std::byte> bytes = to.first(place_of(i, end) - first);
    to = to.subspan(bytes.size());
    fill(offset + first, bytes);
    for (std::uint64_t piece = begin; piece != end; ++piece) {
      const std::uint32_t from = place_of(i, piece);
      const std::uint32_t up_to = place_of(i, piece + 1);
      if (from < first || from > up_to || up_to - first > bytes.size()) fail_damaged();
      const std::byte* const check =
          tables.data() + i * table_bytes + (piece - begin) * kPieceBytes + kPlaceBytes;
      if (check_of(hash, offset, piece, bytes.subspan(from - first, up_to - from)) !=
          base::load_le<std::uint64_t>(check))
        fail_damaged();
    }
  }
}

}  // namespace crivo::stream
