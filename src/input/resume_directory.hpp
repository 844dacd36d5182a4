// SPDX-License-Identifier: Apache-2.0
/// Where a build that can be continued keeps what it has read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
#include "input/build_journal.hpp"

namespace crivo::input {

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

  /// What was read before; nothing at the beginning, and after forget().
  const std::optional<BuildJournal>& found() const noexcept { return found_; }
  /// The logs' names.
  std::filesystem::path log() const { return directory_ / "crivo-hashes"; }
  std::filesystem::path record_log() const { return directory_ / "crivo-records"; }
  /// Of what is made of the keys, once all are read.
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
