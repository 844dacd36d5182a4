// SPDX-License-Identifier: Apache-2.0
/// The search for the splitting tree of one bucket.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "structures/consensus/build/kernel.hpp"
#include "structures/consensus/shape.hpp"

namespace crivo::consensus {

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
  /// Of the keys by their indices: key_bits of levels 0 to 3, which are those of all levels.
  std::array<std::vector<std::uint16_t>, 4> key_bits_;
  /// For each level the keys in the order of its nodes, and their bits in that order.
  std::array<std::vector<std::uint16_t>, kMaxLevels + 1> orders_;
  std::array<std::vector<std::uint16_t>, kMaxLevels> bits_in_order_;
};

}  // namespace crivo::consensus
