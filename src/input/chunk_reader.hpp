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

#include "input/chunk.hpp"
#include "input/input_bytes.hpp"
#include "input/input_parts.hpp"
#include "input/sources.hpp"
#include "input/unit_framing.hpp"

namespace crivo::input {

class OpenFile;

struct ChunkOptions {
  /// Cut one file after the other from front to back, so that chunks come in the order of the input
  /// and know their ordinals. Otherwise the blocks of uncompressed regular files are read by all
  /// threads at once, and know no line either, and of compressed ones as many are decompressed at
  /// once as there are threads.
  bool in_order = false;
  /// Hand out what a pipe has delivered without waiting for a full chunk.
  bool eager = false;
  /// The share of the input that is read; not in order.
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
  /// The chunk is done with, or was not filled. One whose units are so long that a thread waits for
  /// its turn to have it gives back its memory.
  static void give_back(Chunk& chunk);
  std::size_t failed_file() const;
  /// False once nothing is left to be handed out, as far as is known without reading.
  bool may_have_more() const;

  /// After a fault in `file`: nothing more of it, or of those behind it, is handed out. The rest of
  /// those before it is, since they may have a fault that comes first.
  void end_before(std::size_t file);

  /// After a fault in `file`, and the end: reads what is left of it if it is compressed, and throws
  /// Error(bad_input) if that is damaged. The fault may be no more than what the damage made of it,
  /// and checksums stand at the end.
  void check_data(std::size_t file);

  /// A place as chunks have it, or faults, with its offset in the whole file: in a compressed file
  /// of which a part is read they count from the part's first unit. Reads the file from its start.
  Place in_file(const Place& place) const;

  /// The bytes taken from the files so far.
  std::uint64_t consumed() const;

 private:
  std::shared_ptr<OpenFile> take_file(std::unique_lock<std::mutex>& lock);
  bool may_open_next() const;
  void open_next_file();
  void close(const OpenFile& file);
  void drop_from(std::size_t file);
  void note_failed(std::size_t file);
  bool next_of_file(OpenFile& file, Chunk& chunk);
  bool next_from_source(Chunk& chunk);

  const Sources sources_;
  const UnitFraming framing_;
  const ChunkOptions options_;
  mutable std::mutex mutex_;
  std::mutex long_chunks_;                       ///< who has one
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

}  // namespace crivo::input
