// SPDX-License-Identifier: Apache-2.0
/// Where a build that can be continued keeps what it has read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "stream/key_stream.hpp"
#include "stream/run_log.hpp"

namespace crivo::input {

/// By what a file is known again that was read in part.
struct InputStamp {
  std::string name;  ///< as it was given
  std::uint64_t size = 0;
  std::int64_t changed = 0;  ///< nanoseconds since 1970, of its contents

  friend bool operator==(const InputStamp&, const InputStamp&) = default;
};

/// Returns the stamp of a file as it stands there ("-" is standard input); nothing for one that is
/// no regular file, or is not there, of which errno says why.
std::optional<InputStamp> stamp_of(const std::string& path);

/// Whose build it is, and what all parts of the input but the last ones came to.
struct BuildJournal {
  // Choices and inputs that a later run must share with this one:
  std::string choices;  ///< what decides about the bytes of the output
  std::vector<InputStamp> inputs;

  // Facts that a later run takes over:
  std::uint64_t seed = 0;          ///< of the hashes
  std::uint32_t hashed_bytes = 0;  ///< of the stream
  std::uint64_t part_bytes = 0;    ///< cut_input()
  std::uint64_t parts = 0;         ///< so many were read
  stream::LoggedStream logged;
  std::vector<std::vector<std::uint64_t>> units;  ///< ChunkNumbers::noted(), or none
  std::vector<std::uint8_t> signs;                ///< TextSigns::seen()
  std::optional<stream::LoggedRuns> records;      ///< of a RecordTaker, if there is one
  base::Bytes names;                              ///< NotedNames::noted(), if there are some
};

/// The file of it: "CRIVOJNL"; the fields, little-endian, in their order above, texts and lists
/// after their lengths (64 bits; a partition's extents as offset and bytes, then its check; of the
/// records the number of pieces or 0, and if there are any the other fields; of names the bytes);
/// and the hash_key() of all that under seed 0.
base::Bytes encode(const BuildJournal& journal);
/// Throws Error(corrupt) that begins with `name` where the bytes are none such, or not sound: each
/// extent is whole hashed keys within the log, each list of chunks in that of records, and lists
/// are as long as there are inputs.
BuildJournal decode_journal(base::ByteView bytes, std::string_view name);

/// A directory with a journal, a log of hashes and, where there are any, one of records. The
/// journal is replaced whole after each part of the input, when the logs have all that it tells of;
/// so whenever the process ends, all are what they were after some part.
class ResumeDirectory {
 public:
  /// Takes `directory`, which is made if it is not there, for one build at a time, and reads the
  /// journal in it. `choices` are what decides about the output's bytes; parts of the input are to
  /// have `part_bytes`. Throws Error: usage, if an input is a pipe, or the journal is that of a
  /// build of another input or with other choices, or of inputs that have changed, by name;
  /// corrupt, if the journal is damaged; io, if another process is at work with it among others.
  ResumeDirectory(std::filesystem::path directory, const std::vector<std::string>& paths,
                  std::string choices, std::uint64_t part_bytes);

  /// Returns the journal of what was read before; nothing at the beginning, and after forget().
  const std::optional<BuildJournal>& found() const noexcept { return found_; }
  /// The logs' names.
  std::filesystem::path log() const { return directory_ / "crivo-hashes"; }
  std::filesystem::path record_log() const { return directory_ / "crivo-records"; }
  /// The log of what is made of the keys, once all are read.
  std::filesystem::path part_log() const { return directory_ / "crivo-parts"; }
  /// A number that tells the journal as it stands from all others.
  std::uint64_t journal_check() const noexcept { return journal_check_; }
  std::uint64_t part_bytes() const noexcept { return part_bytes_; }

  /// Writes the journal: `journal` with the choices, stamps and size of parts of this. Throws
  /// Error(io).
  void save(BuildJournal journal);
  /// Begins again: what was read is of no use.
  void forget();
  /// Removes all, and the directory if nothing else is in it, where that can be done.
  void remove() noexcept;

 private:
  std::filesystem::path journal_path() const { return directory_ / "crivo-journal"; }
  void expect_same(const BuildJournal& found) const;

  std::filesystem::path directory_;
  base::FileDescriptor lock_;
  std::string choices_;
  std::uint64_t part_bytes_;
  std::vector<InputStamp> stamps_;
  std::optional<BuildJournal> found_;
  std::uint64_t journal_check_ = 0;
};

}  // namespace crivo::input
