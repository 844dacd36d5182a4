// SPDX-License-Identifier: Apache-2.0
/// Entries that come in any order, and are read back by a number that each of them has: from
/// memory, or where they do not fit, from a temporary file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/memory.hpp"
#include "base/temp_file.hpp"
#include "hashing/stream_hash.hpp"

namespace crivo::stream {

/// The content of a log with a name, once all of it was written.
struct LoggedRuns {
  /// A run has the entries of pieces, in their order, then a table: for each piece u32 where it
  /// begins and u64 the check of it; u32 where they end. Tails of entries are anywhere beside.
  struct Run {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;  ///< of the entries
  };

  std::uint64_t pieces = 0;
  std::uint64_t salt = 0;  ///< of the checks: no other log has them
  std::uint64_t log_bytes = 0;
  std::vector<Run> runs{};

  std::uint64_t table_bytes() const noexcept { return pieces * 12 + 4; }
  /// Whether it is in the log whole.
  bool has(const Run& run) const noexcept {
    if (log_bytes < table_bytes() || run.bytes > log_bytes - table_bytes()) return false;
    return run.offset <= log_bytes - table_bytes() - run.bytes;
  }
};

/// Entries are dealt out to 2^piece_bits *pieces* by the top bits of their numbers. Each writer
/// puts its own entries one behind the other, with a list of them; when the run is full, its
/// entries are brought into the order of pieces. As long as all runs fit the memory, they are
/// copied in that order and kept without their lists; else every run is written to a file, which no
/// name leads to unless it is given one, in one go and in that order, with a table of its pieces.
/// So memory is what was given, whatever the number of entries; of a file, a piece is read by two
/// reads of each run, of which there are as many as the memory goes into all entries.
///
/// Entries say themselves where they end: what is read is a piece's entries one behind the other.
///
/// An entry may have a *tail*, bytes at its end that most who read it do not want. In memory it
/// stays there; where a run is written, the tails go to a place of their own in the file, and the
/// entry has that in their stead: so who reads many pieces again and again reads no tails.
class RunLog {
 public:
  /// Gives room for so many bytes.
  using MakeRoom = std::function<std::span<std::byte>(std::size_t bytes)>;

  /// Takes the tails of a run that is written.
  class Tails {
   public:
    Tails(base::TempFile& file, std::uint64_t offset) : file_(file), begin_(offset) {}
    /// Returns where it stands from now on.
    std::uint64_t put(base::ByteView tail);
    void flush();

   private:
    base::TempFile& file_;
    std::uint64_t begin_;  ///< of what is buffered
    base::Bytes some_;
  };
  /// Appends entries to `to` with places in their tails' stead: each has kTailPlace bytes for one.
  using CutTails = std::function<void(base::ByteView entries, Tails& tails, base::Bytes& to)>;
  static constexpr std::size_t kTailPlace = 16;

  /// `directory` is where the file goes, if one is needed. Takes `memory_bytes`, but at least
  /// 64 KiB a writer, or what the largest entry takes. `name` is the file's, where it is to outlive
  /// the process: then all is written to it. Throws Error(io) if it has one and the system has no
  /// random bits.
  RunLog(std::filesystem::path directory, unsigned piece_bits, unsigned writers,
         std::uint64_t memory_bytes, std::filesystem::path name = {}, CutTails cut_tails = {});

  /// Returns how many of `bytes`, those of so many entries that come to all writers alike, go to
  /// the file within that memory: all or none.
  static std::uint64_t spilled_of(std::uint64_t bytes, std::uint64_t entries, unsigned writers,
                                  std::uint64_t memory_bytes) noexcept;

  /// Room for an entry of at most 4 GiB, to be filled before the writer's next call; a writer is
  /// used by one thread at a time. The last `tail` bytes are its tail; 0 for none. Throws
  /// Error(io): no memory, or a full disk.
  std::span<std::byte> add(unsigned writer, std::uint64_t number, std::size_t size,
                           std::size_t tail = 0);
  /// Whether an entry of that size would go to the file: then all do.
  bool spills(unsigned writer, std::size_t size) noexcept;
  /// Puts the tail of an entry to the file at once, where it spills: for long ones, which need not
  /// be copied. Returns its place. Throws Error(io).
  std::uint64_t put_tail(base::ByteView tail) { return file_.append(tail); }
  /// Ends the adding, once, on so many threads. Where anything was written to the file, all is, and
  /// the memory given back. Throws Error(io).
  void finish(unsigned threads);

  /// Writes all that was added to the log, which has a name, durably; the adding goes on
  /// afterwards. No thread adds meanwhile. Throws Error(io).
  const LoggedRuns& log_all();
  /// Goes on from what log_all() returned, of as many pieces, before anything was added. Throws
  /// Error(corrupt) if the log is shorter; Error(io).
  void go_on_from(const LoggedRuns& logged);

  unsigned piece_bits() const noexcept { return piece_bits_; }
  /// How many runs there are, each with entries of any piece. After finish().
  std::size_t runs() const noexcept { return held_.size() + logged_.runs.size(); }
  /// The entries that a run has of the pieces from `begin` to before `end`: where they lie in
  /// memory, for as long as this lives, or read from the file into what room() gives. After
  /// finish(), from any thread. Throws Error(io), and Error(corrupt) where the file does not hold
  /// what was written to it.
  base::ByteView read(std::size_t run, std::uint64_t begin, std::uint64_t end,
                      const MakeRoom& room) const;

  /// Reads a tail from the file. From any thread. Throws Error(io), and Error(corrupt) for what
  /// lies behind its end.
  void read_tail(std::uint64_t place, std::span<std::byte> to) const;

  /// Throws Error(corrupt), that the file does not hold what was written to it: for who reads it.
  [[noreturn]] void fail_damaged() const { file_.fail_damaged(); }

  /// The size of the file.
  std::uint64_t temp_bytes() const noexcept { return file_.bytes(); }
  /// Returns the bytes in memory, after finish().
  std::uint64_t held_bytes() const noexcept {
    std::uint64_t bytes = 0;
    for (const HeldRun& run : held_) bytes += run.bytes.size();
    return bytes;
  }

 private:
  static constexpr std::uint64_t kLeastRunBytes = std::uint64_t{64} << 10;
  static std::uint64_t most_run_bytes(unsigned writers, std::uint64_t memory_bytes) noexcept;

  struct Entry {
    std::uint32_t piece;
    std::uint32_t begin;  ///< in its run
    std::uint32_t size;
  };
  /// The check of the entries of a run.
  struct TailSum {
    std::size_t count = 0;
    std::uint64_t bytes = 0;
  };
  /// A run in work: entries from its begin on, and from its end down the list of them.
  struct Run {
    base::HugeMemory memory;
    std::size_t used = 0;  ///< by entries
    std::size_t entries = 0;
    TailSum tails;
    std::vector<std::uint32_t> piece_begins;  ///< in the list, once it is in order

    std::span<Entry> list() const noexcept;
    bool has_room(std::size_t size) const noexcept;
  };
  /// A run that is in memory in the order of pieces.
  struct HeldRun {
    base::HugeMemory bytes;
    TailSum tails;
    std::vector<std::uint32_t> piece_begins;  ///< in the bytes, and where they end
  };
  struct alignas(64) Writer {
    Run run;                    ///< in work
    std::vector<HeldRun> full;  ///< until finish()
    std::uint64_t taken = 0;    ///< by the runs
  };

  void begin_run(Writer& writer, std::size_t size);
  void order(Run& run) const;
  void append(base::ByteView entries, const TailSum& of_run, Tails& tails, base::Bytes& to) const;
  template <typename Spill>
  void append_piece(const Run& run, std::uint64_t piece, Tails& tails, base::Bytes& to,
                    const Spill& spill) const;
  void hold(Writer& writer);
  template <typename AppendPiece>
  void write(std::uint64_t held_bytes, const TailSum& tail_sum, const AppendPiece& append_piece);
  void write_all(Writer& writer);
  void give_back(Writer& writer, std::uint64_t bytes) noexcept;
  /// Begins the check of a piece of the run at `offset`: its entries are added to the hash then.
  void begin_check(hashing::StreamHash& hash, std::uint64_t offset, std::uint64_t piece) const;

  base::TempFile file_;
  CutTails cut_tails_;
  unsigned piece_bits_;
  std::uint64_t memory_bytes_;
  std::uint64_t most_run_bytes_;
  std::vector<Writer> writers_;
  std::vector<HeldRun> held_;            ///< all that are in memory, from finish() on
  std::atomic<std::uint64_t> taken_{0};  ///< by all runs
  std::atomic<bool> spills_{false};
  std::mutex logged_mutex_;
  LoggedRuns logged_;  ///< but for its length
};

}  // namespace crivo::stream
