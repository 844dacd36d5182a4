// SPDX-License-Identifier: Apache-2.0
/// Where a build that may be continued keeps what it has done.
#pragma once

#include <cstdint>
#include <optional>

#include "build/part_log.hpp"
#include "crivo/build/build.hpp"
#include "file/container.hpp"
#include "input/hash_keys.hpp"
#include "input/hash_log.hpp"
#include "input/resume_directory.hpp"

namespace crivo::index {

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
