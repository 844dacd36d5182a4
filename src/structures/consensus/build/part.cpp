// SPDX-License-Identifier: Apache-2.0
#include "structures/consensus/build/part.hpp"

#include <algorithm>
#include <numeric>

#include "structures/mphf.hpp"

namespace crivo::consensus {

PartBuilder::PartBuilder(const Parameters& parameters, const Spacing& spacing)
    : shape_(parameters.shape),
      spacing_(spacing),
      search_(parameters.shape, parameters.free_bits, kernel(base::cpu())),
      materials_(shape_.keys()) {}

Part PartBuilder::build(std::span<const Hash128> hashes) {
  const auto buckets = static_cast<std::uint16_t>(
      std::min<std::uint64_t>(hashes.size() >> shape_.log_keys, shape_.max_buckets()));
  const auto in_buckets = hashes.first(std::uint64_t{buckets} << shape_.log_keys);
  trees_.resize(buckets * (shape_.tree_bits() / 8));
  columns_.resize((std::uint64_t{buckets} << (shape_.log_keys - 4)) + kExtraColumnBytes);

  Part part;
  base::FieldWriter fields;
  const auto boundaries =
      buckets == 0 ? std::nullopt : Boundaries::write(hashes, spacing_, buckets, fields);
  std::uint8_t salt = 0;
  if (boundaries) {
    while (salt <= kMaxSalt && !try_salt(in_buckets, salt)) ++salt;
  }
  if (!boundaries || salt > kMaxSalt) {
    part.rest.assign(hashes.begin(), hashes.end());
    return part;
  }
  part.entry = {*boundaries, salt};
  part.bytes = fields.bytes(columns_).bytes(trees_).align(8).take();
  part.rest.assign(hashes.begin() + static_cast<std::ptrdiff_t>(in_buckets.size()), hashes.end());
  return part;
}

std::vector<std::uint32_t> PartBuilder::ranks(std::span<const Hash128> hashes,
                                              const PartEntry& entry) const {
  const std::uint64_t keys = std::uint64_t{entry.boundaries.buckets} << shape_.log_keys;
  std::vector<std::uint32_t> ranks(hashes.size(), PartRanks::kBumped);
  for (std::uint64_t i = 0; i < keys; ++i) {
    const std::uint64_t pair = i / 2;
    const std::uint64_t key = (i >> shape_.log_keys << shape_.log_keys) + orders_[i];
    const auto columns = base::load_le<std::uint64_t>(columns_.data() + pair / 8) >> (pair % 8);
    const std::uint32_t side = parity(columns & row(material(hashes[key], entry.salt)));
    ranks[key] = static_cast<std::uint32_t>(2 * pair + side);
  }
  return ranks;
}

bool PartBuilder::try_salt(std::span<const Hash128> hashes, unsigned salt) {
  const std::uint32_t pairs = shape_.keys() / 2;
  ribbon::Band<std::uint64_t, std::uint8_t> equations(columns_.size() * 8);
  std::byte* tree = trees_.data();
  orders_.clear();
  for (std::uint64_t pair = 0; !hashes.empty(); hashes = hashes.subspan(shape_.keys())) {
    for (std::uint32_t i = 0; i < shape_.keys(); ++i) {
      materials_[i] = material(hashes[i], salt);
    }
    if (!search_.find(materials_, tree)) return false;
    tree += shape_.tree_bits() / 8;
    const auto order = search_.order();
    orders_.insert(orders_.end(), order.begin(), order.end());
    for (std::uint32_t p = 0; p < pairs; ++p, ++pair) {
      const std::uint64_t differ =
          row(materials_[order[2 * p]]) ^ row(materials_[order[2 * p + 1]]);
      if (!equations.insert(pair, differ, 1)) return false;
    }
  }
  equations.solve();
  const std::uint8_t* solution = equations.values();
  for (std::byte& eight : columns_) {
    std::uint64_t columns = base::load_le<std::uint64_t>(solution);
    solution += 8;
    // Each byte is 0 or 1; the product gathers them in its top byte.
    eight = static_cast<std::byte>(columns * 0x0102040810204080U >> 56);
  }
  return true;
}

TreeSearch::TreeSearch(const Shape& shape, unsigned free_bits, const Kernel& kernel)
    : shape_(shape), free_bits_(free_bits), kernel_(kernel), levels_(shape.levels()) {
  const std::uint32_t keys = shape.keys();
  for (unsigned l = 0; l < shape.levels(); ++l) {
    Level& level = levels_[l];
    level.log_node_keys = shape.log_keys - l;
    level.nodes = 1U << l;
    const unsigned free = l == 0 ? free_bits : 0;
    for (std::uint32_t node = 0; node < level.nodes; ++node) {
      level.bits.push_back(
          static_cast<std::uint8_t>(shape.begin(l, node + 1) - shape.begin(l, node) - free));
    }
    const unsigned most = std::ranges::max(level.bits);
    level.stride = std::max(batch(level.log_node_keys) << most, 1U << free) + kSlack;
    level.states.resize(std::size_t{level.stride} * (level.nodes + 1) + kSlack);
    level.lists.resize(level.nodes + 1);
    level.path.resize(level.nodes);
    bits_in_order_[l].resize(keys + kSlack);
  }
  for (auto& bits : key_bits_) bits.resize(keys);
  for (unsigned l = 0; l <= shape.levels(); ++l) orders_[l].resize(keys + kSlack);
  std::iota(orders_[0].begin(), orders_[0].end(), std::uint16_t{0});
}

bool TreeSearch::find(std::span<const std::uint64_t> materials, std::byte* tree) {
  for (unsigned l = 0; l < key_bits_.size(); ++l) {
    for (std::size_t i = 0; i < materials.size(); ++i) {
      key_bits_[l][i] = consensus::key_bits(materials[i], l);
    }
  }
  std::ranges::copy(key_bits_[0], bits_in_order_[0].begin());

  steps_ = 0;
  unsigned level = 0;
  begin_level(0, 0);
  while (true) {
    if (!next_solution(level)) {
      if (level == 0 || steps_ > kMaxSteps) return false;
      --level;
    } else if (level + 1 < shape_.levels()) {
      const State state = levels_[level].path.back();
      begin_level(++level, state);
    } else {
      break;
    }
  }
  split_until(level, levels_[level].nodes);
  write_tree(tree);
  return true;
}

/// Starts a level over at the one state, or at level 0 at all values of the free bits.
void TreeSearch::begin_level(unsigned level, State state) {
  Level& begun = levels_[level];
  begun.at = 0;
  begun.has_path = false;
  begun.split = 0;
  if (level != 0) {
    begun.states[0] = state;
    begun.lists[0] = {0, 1};
    return;
  }
  for (std::uint32_t free = 0; free < 1U << free_bits_; ++free) {
    begun.states[free] = static_cast<State>(2 * free + 1);
  }
  begun.lists[0] = {0, 1U << free_bits_};
}

/// Goes on with a level until it has another solution, which becomes its path; false if there is
/// none, or no step is left.
bool TreeSearch::next_solution(unsigned l) {
  Level& level = levels_[l];
  while (true) {
    while (level.lists[level.at].next == level.lists[level.at].end) {
      if (level.at == 0) return false;
      --level.at;
    }
    if (level.at == level.nodes) break;
    if (++steps_ > kMaxSteps) return false;
    step(l, level.at++);
  }
  const State state =
      level.states[std::size_t{level.at} * level.stride + level.lists[level.at].next++];
  trace_path(l, state);
  return true;
}

/// Takes a batch of a node's states and lists their children that fit for the next one, whose list
/// has run out.
void TreeSearch::step(unsigned l, std::uint32_t node) {
  Level& level = levels_[l];
  if (l != 0) split_until(l - 1, node / 2 + 1);
  List& from = level.lists[node];
  const std::uint32_t count = std::min(batch(level.log_node_keys), from.end - from.next);
  const State* states = &level.states[std::size_t{node} * level.stride + from.next];
  State* survivors = &level.states[(std::size_t{node} + 1) * level.stride];
  from.next += count;
  const std::uint32_t size = 1U << level.log_node_keys;
  const std::uint16_t* node_keys = &bits_in_order_[l][std::size_t{node} * size];
  const std::uint32_t found = kernel_.expand[level.log_node_keys](node_keys, size, states, count,
                                                                  level.bits[node], survivors);
  level.lists[node + 1] = {0, found};
}

/// Makes the states that led to `state` after a level's last node its path. Lists keep their tried
/// states until they are filled anew; any state with the bits that its child's window still has is
/// as good as the one that the child was made from.
void TreeSearch::trace_path(unsigned l, State state) {
  Level& level = levels_[l];
  for (std::uint32_t node = level.nodes; node-- > 0;) {
    // From here to the beginning the path is that of the last solution.
    if (level.has_path && level.path[node] == state) break;
    level.path[node] = state;
    level.split = std::min(level.split, node);
    const unsigned bits = level.bits[node];
    const auto kept = static_cast<State>(((1U << (kWindowBits - bits)) - 1) << 1);
    const auto wanted = static_cast<State>((state >> bits) & kept);
    state = kernel_.find(&level.states[std::size_t{node} * level.stride], kept, wanted);
  }
  level.has_path = true;
}

/// Brings the keys of a level's first `nodes` nodes into the order of the level below.
void TreeSearch::split_until(unsigned l, std::uint32_t nodes) {
  Level& level = levels_[l];
  const std::uint32_t size = 1U << level.log_node_keys;
  for (; level.split < nodes; ++level.split) {
    const std::size_t first = std::size_t{level.split} * size;
    std::uint16_t* order = &orders_[l + 1][first];
    kernel_.split(&bits_in_order_[l][first], &orders_[l][first], size, level.path[level.split],
                  order);
    if (l + 1 == shape_.levels()) continue;
    const std::vector<std::uint16_t>& bits = key_bits_[(l + 1) % 4];
    std::uint16_t* in_order = &bits_in_order_[l + 1][first];
    for (std::uint32_t i = 0; i < size; ++i) in_order[i] = bits[order[i]];
  }
}

void TreeSearch::write_tree(std::byte* tree) const {
  std::fill_n(tree, shape_.tree_bits() / 8, std::byte{0});
  const auto places = level_places(shape_);
  for (unsigned l = 0; l < shape_.levels(); ++l) {
    for (std::uint32_t node = 0; node < levels_[l].nodes; ++node) {
      const std::uint32_t place = places[l].window(l, node);
      const std::uint32_t width = shape_.begin(l, node + 1) - shape_.begin(l, node);
      std::uint32_t bits = (levels_[l].path[node] >> 1 & ((1U << width) - 1)) << (place % 8);
      for (std::byte* at = tree + place / 8; bits != 0; bits >>= 8) {
        *at++ |= static_cast<std::byte>(bits);
      }
    }
  }
}

}  // namespace crivo::consensus
