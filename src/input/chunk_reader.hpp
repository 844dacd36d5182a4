/// Cuts key files into chunks of whole units (keys, or key-and-record pairs) for any number of
/// threads.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "crivo/keys.hpp"
#include "input/byte_source.hpp"

namespace crivo::input {

/// The line number of a chunk that was cut without reading what stands before it.
inline constexpr std::uint64_t kUnknownLine = UINT64_MAX;

/// A place in the input: what an error message names. Counts are from 0 here and from 1 in
/// messages.
struct Place {
  std::size_t file = 0;               ///< index into the input's paths
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
  std::uint64_t sequence = 0;            ///< ascends with the chunks of the whole input, with gaps
};

/// How units are cut. A unit ends after `delimiters` delimiter bytes, or after `width` bytes.
struct UnitFraming {
  std::optional<char> delimiter;  ///< none when fixed
  unsigned delimiters = 1;        ///< 2 for NUL-separated key-and-record pairs
  std::uint32_t width = 0;        ///< bytes when fixed
  std::uint64_t max_bytes = 0;    ///< a longer unit is refused
  bool strip_cr = false;          ///< a CR before an LF is not part of a line

  static UnitFraming of_keys(const KeyFormat& format);
  /// Throws Error(usage) for fixed-width keys, which leave no room for records.
  static UnitFraming of_records(const KeyFormat& format);

  bool is_lines() const noexcept { return delimiter == '\n'; }
};

struct ChunkOptions {
  /// Cut every file from front to back, so that each chunk knows its line and ordinal. Otherwise
  /// the blocks of uncompressed regular files are read by all threads at once, and know neither.
  bool in_order = false;
  /// Hand out what a pipe has delivered without waiting for a full chunk.
  bool eager = false;
};

/// Hands out the chunks of an input in order of place. `next` may be called from any thread.
class ChunkReader {
 public:
  ChunkReader(std::vector<std::string> paths, const UnitFraming& framing, ChunkOptions options);
  ~ChunkReader();
  ChunkReader(const ChunkReader&) = delete;
  ChunkReader& operator=(const ChunkReader&) = delete;

  /// Fills `chunk` with the next chunk: false at the end. Throws Error(bad_input) where a unit is
  /// too long or a fixed one incomplete, Error(io) if reading fails.
  bool next(Chunk& chunk);

  /// After a fault in `file`: reads what is left of it if it is compressed, and throws
  /// Error(bad_input) if that is damaged. The fault may be no more than what the damage made of it,
  /// and checksums stand at the end.
  void check_data(std::size_t file);

  /// The bytes taken from the files so far.
  std::uint64_t consumed() const;

 private:
  struct OpenFile;

  bool open_next_file();
  bool next_in_order(Chunk& chunk);
  std::size_t cut_after_last_unit(std::span<const char> bytes) const noexcept;
  bool cut_block(const OpenFile& open, std::uint64_t block, Chunk& chunk) const;
  [[noreturn]] void fail_at(const Place& place, const std::string& problem) const;
  std::string too_long() const;

  const std::vector<std::string> paths_;
  const UnitFraming framing_;
  const ChunkOptions options_;
  mutable std::mutex mutex_;
  std::size_t next_path_ = 0;
  std::shared_ptr<OpenFile> file_;     ///< shared with the threads that still read blocks of it
  std::shared_ptr<OpenFile> stopped_;  ///< the one that could not be cut any further
  std::uint64_t consumed_before_ = 0;
  std::uint64_t ordinal_ = 0;
  std::uint64_t sequence_ = 0;
};

/// The number of units that begin in the first `offset` decoded bytes of a file: a line number for
/// a message. Reads the file from its start, so only an input that can be read again is asked.
std::uint64_t count_units_before(const std::string& path, const UnitFraming& framing,
                                 std::uint64_t offset);

/// The total size of the files if all are regular and so can be read again; nothing otherwise.
std::optional<std::uint64_t> regular_input_bytes(const std::vector<std::string>& paths);

/// What messages call the file with index `file` among `paths`.
std::string input_name(const std::vector<std::string>& paths, std::size_t file);

/// What messages call the unit with index `line` of a file: "line 3" for the third, and "key 3"
/// where units are no lines.
std::string unit_name(const UnitFraming& framing, std::uint64_t line);

/// What messages call a place whose line is known: "FILE:3", as editors and compilers count, and
/// "FILE: key 3" where units are no lines.
std::string place_name(const std::vector<std::string>& paths, const UnitFraming& framing,
                       const Place& place);

/// "FILE:LINE: problem", or "FILE: key NUMBER: problem": the unit is counted by reading the file
/// again where `place` does not know its line.
std::string describe(const std::vector<std::string>& paths, const UnitFraming& framing,
                     const Place& place, const std::string& problem);

}  // namespace crivo::input
