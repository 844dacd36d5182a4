// SPDX-License-Identifier: Apache-2.0
/// The parts that a build has made, so that another process can go on where it was killed.
///
/// Where a build that may be continued keeps what it has done.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "base/temp_file.hpp"
#include "crivo/build/build.hpp"
#include "file/container.hpp"
#include "input/hash_keys.hpp"
#include "input/hash_log.hpp"
#include "input/resume_directory.hpp"
#include "structures/build/assembly.hpp"

namespace crivo::index {

/// A file of parts, in any order. What a killed process, or a system that lost its power, did not
/// write whole is not there: then the part is made again.
///
///     per part: u64 step, bits, index; u64 bytes of the body, of the notes, of the signatures; u64
///     PartRanks::count; u64 numbers of of_keys and of cell_keys; u64 of the content hash of the
///     log's id and all of these; u64 of that of the id and what follows: body, notes, signatures,
///     u32 of_keys, u32 cell_keys
class PartLog {
 public:
  /// Goes on with what stands under `name`, of the log with this id (of the keys, and what else
  /// decides about parts); of any other it is emptied. Throws Error(io).
  PartLog(const std::filesystem::path& name, std::uint64_t id);

  /// A part of a step, by Assembly::build_part()'s numbers.
  struct Place {
    std::uint64_t step = 0;
    std::uint64_t bits = 0;
    std::uint64_t index = 0;

    friend auto operator<=>(const Place&, const Place&) = default;
  };
  /// The part, if it is there whole. From any thread. Throws Error(io).
  std::optional<Part> find(const Place& place) const;
  /// Adds it. From any thread. Throws Error(io): a full disk above all.
  void add(const Place& place, const Part& part);

 private:
  static constexpr std::size_t kFields = 11;

  struct Sizes {
    std::uint64_t body = 0;
    std::uint64_t notes = 0;
    std::uint64_t signatures = 0;
    std::uint64_t ranks = 0;
    std::uint64_t of_keys = 0;
    std::uint64_t cell_keys = 0;

    std::uint64_t bytes() const noexcept;
  };
  struct Entry {
    Sizes sizes;
    std::uint64_t check = 0;
    std::uint64_t offset = 0;  ///< of the bytes
  };
  /// The entries that stand in the file; returns where they end.
  std::uint64_t read_entries(const std::filesystem::path& name);

  std::uint64_t id_;
  mutable std::mutex mutex_;  ///< of entries_
  std::map<Place, Entry> entries_;
  base::TempFile file_;
};

struct MemoryBudget;

/// The directories below BuildOptions::resume_dir, and nothing where there is none.
class ResumePlaces {
 public:
  /// Both outlive this.
  ResumePlaces(const BuildOptions& options, const MemoryBudget& budget)
      : options_(options), budget_(budget) {}

  /// The place of the keys' hashes, for a file with this kind and key hash; null for others.
  /// Throws Error(usage) for a source that is no file, and what ResumeDirectory does.
  input::ResumeDirectory* keys(const KeyInput& input, const file::Header& header,
                               const file::Metadata& choices);
  /// The place of the hashes of the build's universe, in a directory of their own. Adds to
  /// `resumed_bytes` what was read of it.
  input::HashLogPlace universe(const KeyInput& universe, const file::Header& header,
                               const file::Metadata& choices, std::uint64_t& resumed_bytes);
  /// The place of the parts that are made of the keys, all of which were read; null without
  /// keys(). `cell_bits` are those of a store's parts. Throws Error(io).
  PartLog* parts(const input::KeySet& keys, unsigned cell_bits = 0);

  /// Removes all of it: the output was published.
  void remove() noexcept;

 private:
  const BuildOptions& options_;
  const MemoryBudget& budget_;
  std::optional<input::ResumeDirectory> keys_;
  std::optional<input::ResumeDirectory> universe_;
  std::optional<PartLog> parts_;  ///< of the pass at hand
};

}  // namespace crivo::index
