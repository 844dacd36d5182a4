// SPDX-License-Identifier: Apache-2.0
/// The filter of what dedup() has seen, in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "build/memory_need.hpp"
#include "crivo/build/sort.hpp"
#include "crivo/key.hpp"
#include "file/container.hpp"
#include "structures/cuckoo/build/cuckoo.hpp"
#include "structures/cuckoo/cuckoo.hpp"

namespace crivo::index {

/// Layers, of which the last is added to. One thread at a time.
class SeenFilter {
 public:
  /// One without keys. Throws Error(usage) for options that are missing or out of range, and
  /// Error(io) where it does not keep to the budget.
  SeenFilter(const DedupOptions& options, const MemoryBudget& budget);
  /// That of a file, which is copied; its checksums are to be sound. Throws Error(usage) where it
  /// is none that dedup() can add to, or was made with other options; Error(io, corrupt).
  SeenFilter(const file::Container& container, const DedupOptions& options,
             const MemoryBudget& budget);

  const HashFunction& hash() const noexcept { return hash_; }
  /// Does for hash after hash: held[i] becomes true where it may hold hashes[i], and otherwise
  /// that is added, unless held[i] was true. Stops where it is full, and may not grow; returns how
  /// many hashes it went through. Throws Error(io) where it would grow beyond the budget.
  std::size_t add_new(std::span<const Hash128> hashes, bool* held);

  std::uint64_t keys() const noexcept;
  std::uint64_t capacity() const noexcept;
  std::uint64_t layers() const noexcept { return layers_.size(); }
  /// Writes the whole file.
  void write(file::PendingFile& file) const;

 private:
  /// False where it has as many layers as there may be.
  bool grow();
  void check_memory(std::uint64_t capacity, double fpr) const;

  std::string name_;
  bool may_grow_;
  MemoryBudget budget_;
  file::Header header_;
  file::Metadata metadata_;
  HashFunction hash_;
  double fpr_;               ///< of the first layer
  std::uint64_t bytes_ = 0;  ///< of all layers
  std::vector<std::unique_ptr<filter::SeenLayer>> layers_;
};

}  // namespace crivo::index
