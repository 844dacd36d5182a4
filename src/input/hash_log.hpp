// SPDX-License-Identifier: Apache-2.0
/// The hashes of an input in a ResumeDirectory, so that it is read once, and by another process
/// from where the last one ended.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/progress.hpp"
#include "crivo/build/keys.hpp"
#include "hashing/hash128.hpp"
#include "input/chunk.hpp"
#include "input/resume_directory.hpp"
#include "input/unit_framing.hpp"

namespace crivo::input {

/// Where a log is, and what it may take of memory while it is written and read, about.
struct HashLogPlace {
  ResumeDirectory* directory = nullptr;  ///< null: there is no log
  std::uint64_t memory_bytes = 0;
  std::uint64_t* resumed_bytes = nullptr;  ///< grows by what another process read of the input
};

class HashLog {
 public:
  virtual ~HashLog() = default;

  using Visit = std::function<void(unsigned thread, std::span<const Hash128> hashes,
                                   std::span<const std::uint64_t> groups)>;
  /// Has the keys of a chunk visited.
  using HashChunk = std::function<void(unsigned thread, const Chunk& chunk, const Visit& visit)>;

  /// Reads what is not in the log yet. Once. Throws Error(corrupt, io), and what `hash` does.
  virtual void fill(const KeyInput& input, const UnitFraming& framing, const HashChunk& hash,
                    const base::BuildContext& context) = 0;
  /// Visits all, on all threads, as often as is asked.
  virtual void for_each(const base::BuildContext& context, const Visit& visit) const = 0;
};

/// An empty log, or what another process left; of hashes with another seed nothing is left.
/// `grouped`: hashes have those of groups beside them, 24 bytes a key on disk, else 16.
std::unique_ptr<HashLog> open_hash_log(const HashLogPlace& place, bool grouped, hashing::Seed seed,
                                       unsigned threads);

}  // namespace crivo::input
