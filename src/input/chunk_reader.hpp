// SPDX-License-Identifier: Apache-2.0
/// Cuts key files into chunks of whole units (keys, or key-and-record pairs) for any number of
/// threads.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "crivo/error.hpp"
#include "crivo/keys.hpp"
#include "input/byte_source.hpp"
#include "input/sources.hpp"

namespace crivo::input {

/// The line number of a chunk that was cut without reading what stands before it.
inline constexpr std::uint64_t kUnknownLine = UINT64_MAX;

/// A place in the input: what an error message names. Counts are from 0 here and from 1 in
/// messages.
struct Place {
  std::size_t file = 0;               ///< index into the input's sources
  std::uint64_t offset = 0;           ///< of the unit's first byte among the file's decoded bytes
  std::uint64_t line = kUnknownLine;  ///< of the unit in its file, from 0

  friend bool operator<(const Place& a, const Place& b) noexcept {
    return a.file != b.file ? a.file < b.file : a.offset < b.offset;
  }
};

/// A run of whole units. The last may lack its delimiter at the end of a file.
struct Chunk {
  Place start;                           ///< of the first unit
  std::uint64_t ordinal = kUnknownLine;  ///< of the first unit in the whole input, where known
  std::span<const char> bytes;           ///< inside `storage`
  std::vector<char> storage;             ///< reused from chunk to chunk
  std::uint64_t sequence = 0;            ///< ascends with the chunks of its file, with gaps
  /// Room for keys and records that stand otherwise in `bytes` (quoted, or in hexadecimal): what is
  /// cut out of one chunk twice is put into the same places again.
  mutable std::vector<char> decoded;
};

/// How units are cut. A unit ends after `delimiters` delimiter bytes, or after `width` bytes.
struct UnitFraming {
  std::optional<char> delimiter;  ///< none when fixed
  unsigned delimiters = 1;        ///< 2 for NUL-separated key-and-record pairs
  std::uint32_t width = 0;        ///< bytes when fixed
  std::uint64_t max_bytes = 0;    ///< a longer unit is refused
  bool strip_cr = false;          ///< a CR before an LF is not part of a line
  bool skip_header = false;       ///< the first unit of each file is left out
  bool counted = false;           ///< as a KeySource hands them over, to a KeyWriter

  static UnitFraming of_keys(const KeyFormat& format);
  /// Throws Error(usage) for fixed-width keys, which leave no room for records.
  static UnitFraming of_records(const KeyFormat& format);

  bool is_lines() const noexcept { return delimiter == '\n'; }
};

/// A range of an input: some blocks of a file, whole files, and blocks of another. Files that are
/// not cut in blocks are in one part whole.
struct InputPart {
  std::size_t first_file = 0;
  std::uint64_t first_block = 0;  ///< of the first file
  std::size_t last_file = SIZE_MAX;
  std::uint64_t end_block = UINT64_MAX;  ///< of the last file
  std::uint64_t bytes = 0;               ///< about, of the files
};

/// Cuts an input of regular files into parts of `bytes` or, where a file cannot be cut, more: the
/// same parts as long as files do not change. Throws Error(io).
std::vector<InputPart> cut_input(const std::vector<std::string>& paths, const UnitFraming& framing,
                                 std::uint64_t bytes);
/// Throws Error(usage) where files are to be cut as a source, or a source as files.
void check_framing(const Sources& sources, const UnitFraming& framing);

struct ChunkOptions {
  /// Cut one file after the other from front to back, so that chunks come in the order of the input
  /// and know their ordinals. Otherwise the blocks of uncompressed regular files are read by all
  /// threads at once, and know no line either, and of compressed ones as many are decompressed at
  /// once as there are threads.
  bool in_order = false;
  /// Hand out what a pipe has delivered without waiting for a full chunk.
  bool eager = false;
  /// Of the input that is read; not in order.
  InputPart part{};
};

/// Hands out the chunks of an input, each file's in order of place. `next` may be called from any
/// thread. A thread that asks for a chunk decompresses it itself, alone in its file: a second one
/// begins the next file, so that never more are open than there are threads. What is no regular
/// file has neighbours neither before nor behind it open, since whoever feeds it may wait until
/// those were read.
class ChunkReader {
 public:
  ChunkReader(Sources sources, const UnitFraming& framing, ChunkOptions options);
  ~ChunkReader();
  ChunkReader(const ChunkReader&) = delete;
  ChunkReader& operator=(const ChunkReader&) = delete;

  /// Fills `chunk` with the next chunk: false at the end. Throws InputFault where a unit is too
  /// long or a fixed one incomplete, as after end_before() of its file; another Error, once, if
  /// reading fails or compressed data is damaged, when all files before it were handed out: after
  /// it there is nothing more to be had, and failed_file() is known.
  bool next(Chunk& chunk);
  std::size_t failed_file() const;

  /// After a fault in `file`: nothing more of it, or of those behind it, is handed out. The rest of
  /// those before it is, since they may have a fault that comes first.
  void end_before(std::size_t file);

  /// After a fault in `file`, and the end: reads what is left of it if it is compressed, and throws
  /// Error(bad_input) if that is damaged. The fault may be no more than what the damage made of it,
  /// and checksums stand at the end.
  void check_data(std::size_t file);

  /// The bytes taken from the files so far.
  std::uint64_t consumed() const;

 private:
  struct OpenFile;

  std::shared_ptr<OpenFile> take_file(std::unique_lock<std::mutex>& lock);
  bool may_open_next() const;
  void open_next_file();
  void close(const OpenFile& file);
  void drop_from(std::size_t file);
  void note_failed(std::size_t file);
  bool next_of_source(OpenFile& file, Chunk& chunk);
  std::size_t cut_after_last_unit(std::span<const char> bytes) const noexcept;
  bool cut_block(const OpenFile& open, std::uint64_t block, Chunk& chunk) const;
  [[noreturn]] void fail_at(const Place& place, const std::string& problem) const;
  std::string too_long() const;

  bool next_from_source(Chunk& chunk);

  const Sources sources_;
  const UnitFraming framing_;
  const ChunkOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;              ///< a file can be taken, or was closed
  std::size_t next_path_ = 0;                    ///< to be opened
  std::size_t end_path_;                         ///< files from here on are not
  std::vector<std::shared_ptr<OpenFile>> open_;  ///< in order; shared with threads at work in them
  std::optional<std::size_t> failed_;            ///< whose reading failed
  std::shared_ptr<OpenFile> stopped_;            ///< the first that a fault closed
  bool opens_alone_ = false;                     ///< the next file, which could not be opened
  std::uint64_t consumed_before_ = 0;            ///< of files that were closed
  std::uint64_t ordinal_ = 0;
  std::uint64_t source_chunks_ = 0;  ///< that were cut
  bool source_ended_ = false;
};

/// The number of units that begin in the first `offset` decoded bytes of a file: a line number for
/// a message. Reads the file from its start, so only an input that can be read again is asked.
std::uint64_t count_units_before(const std::string& path, const UnitFraming& framing,
                                 std::uint64_t offset);

/// Whether a file is there, and is a regular one; it is not opened.
bool is_regular_file(const std::string& path) noexcept;

/// The total size of the files if all are regular and so can be read again, and that of a source
/// of known size; nothing otherwise.
std::optional<std::uint64_t> regular_input_bytes(const Sources& sources);

/// What messages call the source with index `file`.
std::string input_name(const Sources& sources, std::size_t file);

/// What messages call the unit with index `line` of a file: "line 3" for the third, and "key 3"
/// where units are no lines.
std::string unit_name(const UnitFraming& framing, std::uint64_t line);

/// What messages call a place whose line is known: "FILE:3", as editors and compilers count, and
/// "FILE: key 3" where units are no lines.
std::string place_name(const Sources& sources, const UnitFraming& framing, const Place& place);

/// Throws Error(bad_input): "FILE:LINE: problem", or "FILE: key NUMBER: problem". The unit is
/// counted by reading the file again where `place` does not know its line. `remedy`: as of an
/// ErrorPlace.
[[noreturn]] void fail_at_place(const Sources& sources, const UnitFraming& framing,
                                const Place& place, const std::string& problem,
                                const std::string& remedy = {});

/// What an error says of a place whose line is known.
ErrorPlace error_place(const Sources& sources, const Place& place);

}  // namespace crivo::input
