// SPDX-License-Identifier: Apache-2.0
/// The share of a section that one hash partition adds: the buckets that a build makes at once, and
/// a reader finds in one place.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "structures/build/assembly.hpp"
#include "structures/build/mphf.hpp"
#include "structures/consensus/boundaries.hpp"
#include "structures/consensus/build/kernel.hpp"
#include "structures/consensus/consensus.hpp"
#include "structures/consensus/shape.hpp"
#include "structures/ribbon/build/band.hpp"

namespace crivo::consensus {

/// How much a function spends on space. The reader needs none of it: a section says what it must
/// know.
struct Parameters {
  Shape shape;
  /// Bits at the beginning of the string that may be anything.
  unsigned free_bits;
};

/// A node of s keys needs log2(2^s / C(s, s / 2)) bits; the more its level has, the shorter the
/// search. How a tree's bits are shared among the levels was found by hill climbing, the work
/// counted in instructions.
inline constexpr std::array kEfforts{
    Parameters{{11, {10, 12, 22, 36, 66, 109, 186, 308, 488, 739}}, 6},
    Parameters{{11, {10, 12, 21, 36, 65, 107, 186, 303, 486, 734}}, 6},
    Parameters{{11, {10, 12, 21, 36, 62, 108, 182, 303, 482, 728}}, 6},
};

/// Finds the bits of a tree by depth-first search: over the levels, and in each over its nodes from
/// left to right. The states that a node's predecessors leave for it stand in a list; a step takes
/// a batch of them, tries their children on the node's keys, and lists those that halve them for
/// the next node. Where a list runs out, the search goes back to the last that has states left.
///
/// All states of a level come from one state at its beginning, so that they agree on the keys of
/// its nodes; a batch costs what one state does, and its states are those that the search would
/// mostly have come to one by one.
///
/// One search is used for bucket after bucket; it holds about 100 KiB.
class TreeSearch {
 public:
  /// The string begins with `free_bits` bits that may be anything, so that some of their values
  /// surely lead to a tree: all are tried.
  TreeSearch(const Shape& shape, unsigned free_bits, const Kernel& kernel);

  /// Finds the tree of k keys, of which it is given the materials, and writes its tree_bits() / 8
  /// bytes to `tree`. False if there is none, or if it would take more than kMaxSteps steps. What
  /// it finds does not depend on the kernel.
  bool find(std::span<const std::uint64_t> materials, std::byte* tree);

  /// The keys in the order in which the tree found last puts them, as indices into `materials`:
  /// those of pair p are at 2 p and 2 p + 1.
  std::span<const std::uint16_t> order() const noexcept {
    return {orders_[shape_.levels()].data(), shape_.keys()};
  }

  /// Some hundred times what a bucket takes on average.
  static constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 22;

 private:
  /// States of one node, those before `next` already tried.
  struct List {
    std::uint32_t next = 0;
    std::uint32_t end = 0;
  };
  struct Level {
    unsigned log_node_keys = 0;
    std::uint32_t nodes = 0;
    std::uint32_t stride = 0;        ///< room for the states of a list
    std::vector<std::uint8_t> bits;  ///< of each node how many of the string are its alone
    std::vector<State> states;       ///< lists 0 to nodes: the last is of whole levels
    std::vector<List> lists;
    std::uint32_t at = 0;     ///< no list after this one has states left
    std::vector<State> path;  ///< the states of the nodes in the solution returned last
    bool has_path = false;
    std::uint32_t split = 0;  ///< so many nodes' keys are in order for the level below
  };

  void begin_level(unsigned level, State state);
  bool next_solution(unsigned level);
  void step(unsigned level, std::uint32_t node);
  void trace_path(unsigned level, State state);
  void split_until(unsigned level, std::uint32_t nodes);
  void write_tree(std::byte* tree) const;

  Shape shape_;
  unsigned free_bits_;
  const Kernel& kernel_;
  std::uint64_t steps_ = 0;
  std::vector<Level> levels_;
  /// The key_bits of the keys by their indices, on levels 0 to 3, which are those of all levels.
  std::array<std::vector<std::uint16_t>, 4> key_bits_;
  /// For each level the keys in the order of its nodes, and their bits in that order.
  std::array<std::vector<std::uint16_t>, kMaxLevels + 1> orders_;
  std::array<std::vector<std::uint16_t>, kMaxLevels> bits_in_order_;
};

struct Part {
  PartEntry entry;
  base::Bytes bytes;          ///< boundaries, columns, trees; none without buckets
  std::vector<Hash128> rest;  ///< the hashes that are left over
};

/// Makes part after part on one thread.
class PartBuilder {
 public:
  PartBuilder(const Parameters& parameters, const Spacing& spacing);

  /// The part of a partition's hashes. All of them are left over if they are spread too unevenly,
  /// or if no salt will do.
  Part build(std::span<const Hash128> hashes);
  /// The ranks in the partition that was built last, of so many hashes and with that entry: of each
  /// key, in the partition's buckets; PartRanks::kBumped for those that are left over.
  std::vector<std::uint32_t> ranks(std::span<const Hash128> hashes, const PartEntry& entry) const;

 private:
  bool try_salt(std::span<const Hash128> hashes, unsigned salt);

  Shape shape_;
  Spacing spacing_;
  TreeSearch search_;
  std::vector<std::uint64_t> materials_;
  std::vector<std::uint16_t> orders_;  ///< TreeSearch::order() of each bucket
  base::Bytes columns_;                ///< k / 16 bytes a bucket, and kExtraColumnBytes
  base::Bytes trees_;                  ///< tree_bits / 8 bytes a bucket
};

/// The function of n keys, which appends to a sink that must be at a multiple of 8 bytes. O(n)
/// beside a search whose length grows as the space comes near the bound. Memory: 5 bytes a key of
/// the partitions in work (2^18.5 keys each at most in the mean); in the scratch, 16 for each key
/// that no bucket has: fewer than k a partition, unless hashes are made to be uneven. The bytes
/// depend on the hashes and the parameters alone. Parts have the `contents`.
/// Throws Error(bad_input) for more than kMaxKeys keys; its finish(), if no function is found,
/// which only hashes made for it bring about.
std::unique_ptr<mphf::FunctionAssembly> plan(const Parameters& parameters, std::uint64_t n,
                                             const mphf::PartContents& contents = {});

}  // namespace crivo::consensus
