// SPDX-License-Identifier: Apache-2.0
/// Deltas and chains as files (formats/delta.md): a chain names a base and the deltas that follow
/// it, which lie beside it as they were published.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "crivo/exact.hpp"
#include "crivo/open.hpp"
#include "file/container.hpp"
#include "lookup/chain_opener.hpp"
#include "lookup/exact_file.hpp"
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

/// The section of a delta, of which nothing but that is read. Throws Error(corrupt), named after
/// the container.
Delta read_delta(const file::Container& container);
/// The same of a delta whose bytes are all checked. Throws Error(corrupt) where a checksum does not
/// hold.
Delta open_delta(const file::Container& container);

/// Returns the kind as which the base of a chain, or a file that is no chain, is to be opened: a
/// filter, an index of rows or a filter set if it is one, else an exact set. Throws as ChainOpener
/// does where a chain's base is not there.
file::Kind base_kind(const file::Container& own);

/// The state that a base and the deltas that follow it have come to.
class ChainState {
 public:
  /// Facts about a base.
  struct Base {
    bool of_filter = false;
    bool grouped = false;
    std::uint64_t groups = 1;
    std::uint64_t universe = 0;
  };
  /// Begins with the base alone, which must outlive it.
  ChainState(const file::Container& container, const Base& base);
  virtual ~ChainState() = default;
  ChainState(const ChainState&) = delete;
  ChainState& operator=(const ChainState&) = delete;

  /// Throws Error(corrupt) where the delta is of another base, or does not follow.
  void follow(const file::Container& container, const Delta& delta);
  /// The delta of one list that follows.
  Delta next(const FlipList& list) const;
  /// Its header, but for n.
  file::Header next_header() const;

  const file::Container& base() const noexcept { return *base_; }
  const file::Digest& state() const noexcept { return state_; }
  /// Returns the number of the next delta.
  std::uint64_t next_number() const noexcept { return next_number_; }
  std::uint64_t members() const noexcept { return members_; }
  std::uint64_t universe() const noexcept { return known_.universe; }
  std::uint64_t delta_bytes() const noexcept { return delta_bytes_; }
  /// Files of deltas.
  std::uint64_t deltas() const noexcept { return deltas_; }
  /// Whether the deltas take more than a quarter of the base.
  bool is_long() const noexcept;

 private:
  const file::Container* base_;
  Base known_;
  file::Digest state_;
  std::uint64_t next_number_ = 1;
  std::uint64_t members_;
  std::uint64_t delta_bytes_ = 0;
  std::uint64_t deltas_ = 0;
};

/// An exact set with its deltas.
class LinkedSet : public ChainState {
 public:
  /// `files` is the base, then deltas in order; they must outlive it. Throws Error(corrupt) where a
  /// delta is of another base, or does not follow the one before. O(flips + groups).
  explicit LinkedSet(const std::vector<const file::Container*>& files);

  const ExactFile& exact() const noexcept { return exact_; }
  const LayeredSet& set() const noexcept { return set_; }
  const std::vector<Coverage>& covers() const noexcept { return covers_; }

 private:
  LinkedSet(const std::vector<const file::Container*>& files, ExactFile exact);

  ExactFile exact_;
  std::vector<Coverage> covers_;
  FlipTable flips_;
  LayeredSet set_;
};

/// Throws Error(corrupt) unless the chain says of its files what they have come to.
void check_chain(const file::Container& chain, const ChainState& state);

/// The files of a chain, or the set itself where there are none.
std::vector<const file::Container*> pointers(const file::Container& own,
                                             const std::vector<file::Container>& links);

/// A file of a kind, or a chain of one, opened: `Linked` is made of its files.
template <typename Linked, file::Kind kKind>
class Layered {
 public:
  /// Throws Error(usage) for a file of another kind, and a chain of one.
  Layered(file::Container own, const OpenOptions& options)
      : Layered(std::move(own), ChainOpener(options)) {}
  Layered(const Layered&) = delete;
  Layered& operator=(const Layered&) = delete;

  /// The file itself: of the kind, or the chain.
  const file::Container& own() const noexcept { return own_; }
  bool is_chain() const noexcept { return !links_.empty(); }
  const std::vector<file::Container>& links() const noexcept { return links_; }
  const Linked& linked() const noexcept { return linked_; }

 private:
  Layered(file::Container own, ChainOpener&& opener)
      : own_(std::move(own)),
        links_(links_of(own_, kKind, opener)),
        linked_(pointers(own_, links_)) {
    if (!is_chain()) return;
    check_chain(own_, linked_);
    opener.note_seen();
  }

  file::Container own_;
  std::vector<file::Container> links_;  ///< of a chain
  Linked linked_;
};

using LayeredFile = Layered<LinkedSet, file::Kind::exact>;

/// Opens a file of the kind, or a chain of one. Whether a chain is signed is looked at where its
/// files are opened. Throws Error(usage) for a file of another kind.
file::Container open_layered(const std::filesystem::path& path, file::Kind kind,
                             const OpenOptions& options);

}  // namespace crivo::exact
