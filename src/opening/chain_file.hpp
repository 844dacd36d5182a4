// SPDX-License-Identifier: Apache-2.0
/// Deltas and chains as files (formats/delta.md): a chain names a base and the deltas that follow
/// it, which lie beside it as they were published.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "crivo/exact.hpp"
#include "crivo/open.hpp"
#include "file/container.hpp"
#include "opening/exact_file.hpp"
#include "structures/exact/flip_list.hpp"
#include "structures/exact/layered_set.hpp"

namespace crivo::exact {

/// Section 121.
struct Chain {
  struct Link {
    std::string name;  ///< below the chain's folder: see file::is_part_name()
    file::Digest root{};
    std::uint64_t bytes = 0;
  };
  file::Digest state{};       ///< after the last delta
  std::vector<Link> links{};  ///< the base, then the deltas in order
};

base::Bytes encode_chain(const Chain& chain);
/// Throws Error(corrupt), named after the container.
Chain decode_chain(const file::Container& container);

/// The section of a delta. Throws Error(corrupt), named after the container, also where a checksum
/// does not hold.
Delta open_delta(const file::Container& container);

/// The files of a chain that is open, which must have been opened by its path. The base is first.
/// Where the options name whom to trust, each has its signature checked. Throws Error(corrupt) for
/// a file that is missing, or another than the chain names; Error(usage) for the bytes of a chain.
std::vector<file::Container> open_links(const file::Container& chain, const OpenOptions& options);

/// A base with its deltas.
class LinkedSet {
 public:
  /// `files` is the base, then deltas in order; they must outlive it. Throws Error(corrupt) where a
  /// delta is of another base, or does not follow the one before. O(flips + groups).
  explicit LinkedSet(std::vector<const file::Container*> files);
  LinkedSet(const LinkedSet&) = delete;
  LinkedSet& operator=(const LinkedSet&) = delete;

  /// The same of one more delta: what it would be refused for.
  void check_next(const file::Container& container, const Delta& delta) const;

  const file::Container& base() const noexcept { return *files_.front(); }
  const ExactFile& exact() const noexcept { return exact_; }
  const LayeredSet& set() const noexcept { return set_; }
  const std::vector<Coverage>& covers() const noexcept { return covers_; }
  const file::Digest& state() const noexcept { return state_; }
  /// Of the next delta.
  std::uint64_t next_number() const noexcept { return next_number_; }
  std::uint64_t members() const noexcept { return members_; }
  std::uint64_t universe() const noexcept { return universe_; }
  std::uint64_t delta_bytes() const noexcept { return delta_bytes_; }
  /// Files of deltas.
  std::uint64_t deltas() const noexcept { return files_.size() - 1; }

 private:
  std::vector<const file::Container*> files_;
  ExactFile exact_;
  std::vector<Coverage> covers_;
  file::Digest state_;
  std::uint64_t next_number_ = 1;
  std::uint64_t groups_;
  std::uint64_t members_;
  std::uint64_t universe_;
  std::uint64_t delta_bytes_ = 0;
  FlipTable flips_;
  LayeredSet set_;
};

/// The delta of one list that follows.
Delta next_delta(const LinkedSet& layers, const FlipList& list);

/// The files of a chain, or the set itself where there are none.
std::vector<const file::Container*> pointers(const file::Container& own,
                                             const std::vector<file::Container>& links);

/// An exact set or a chain, opened.
class LayeredFile {
 public:
  /// Throws Error(usage) for a file of another kind.
  LayeredFile(file::Container own, const OpenOptions& options);
  LayeredFile(const LayeredFile&) = delete;
  LayeredFile& operator=(const LayeredFile&) = delete;

  /// The file itself: the set, or the chain.
  const file::Container& own() const noexcept { return own_; }
  bool is_chain() const noexcept { return !links_.empty(); }
  const std::vector<file::Container>& links() const noexcept { return links_; }
  const LinkedSet& layers() const noexcept { return layers_; }

 private:
  file::Container own_;
  std::vector<file::Container> links_;  ///< of a chain
  LinkedSet layers_;
};

/// Opens a file for LayeredFile. A chain has no signature of its own: its files have.
file::Container open_layered(const std::filesystem::path& path, const OpenOptions& options);

}  // namespace crivo::exact
