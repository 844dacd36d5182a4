#include "records/token_matcher.hpp"

#include <algorithm>
#include <utility>

namespace crivo::records {

namespace {

constexpr unsigned kFirstEdgeBits = 12;

std::size_t pair_of(base::ByteView text) noexcept {
  return base::load_le<std::uint16_t>(text.data());
}

}  // namespace

TokenMatcher::TokenMatcher()
    : pairs_(std::size_t{1} << 16, kNone),
      edges_(std::size_t{1} << kFirstEdgeBits),
      shift_(64 - kFirstEdgeBits),
      tokens_(1, kNoToken) {}

std::size_t TokenMatcher::place(std::uint32_t key) const noexcept {
  const std::size_t mask = edges_.size() - 1;
  std::size_t at = (key * std::uint64_t{0x9e3779b97f4a7c15}) >> shift_;
  while (edges_[at].child != kNone && edges_[at].key != key) at = (at + 1) & mask;
  return at;
}

std::uint32_t TokenMatcher::child(std::uint32_t node, std::byte byte) const noexcept {
  return edges_[place(node << 8 | static_cast<std::uint32_t>(byte))].child;
}

std::uint32_t TokenMatcher::new_node() {
  tokens_.push_back(kNoToken);
  return static_cast<std::uint32_t>(tokens_.size() - 1);
}

void TokenMatcher::add_edge(std::uint32_t key, std::uint32_t child) {
  if (2 * (edge_count_ + 1) > edges_.size()) {
    std::vector<Edge> old(2 * edges_.size());
    std::swap(old, edges_);
    --shift_;
    for (const Edge& edge : old) {
      if (edge.child != kNone) edges_[place(edge.key)] = edge;
    }
  }
  edges_[place(key)] = {key, child};
  ++edge_count_;
}

bool TokenMatcher::insert(base::ByteView text, std::uint32_t token) {
  std::uint32_t& first = pairs_[pair_of(text)];
  if (first == kNone) first = new_node();
  std::uint32_t node = first;
  for (const std::byte byte : text.subspan(2)) {
    std::uint32_t next = child(node, byte);
    if (next == kNone) {
      next = new_node();
      add_edge(node << 8 | static_cast<std::uint32_t>(byte), next);
    }
    node = next;
  }
  if (tokens_[node] != kNoToken) return false;
  tokens_[node] = token;
  return true;
}

TokenMatcher::Match TokenMatcher::longest(base::ByteView text, std::size_t below) const noexcept {
  Match best{static_cast<std::uint32_t>(text[0]), 1};
  const std::size_t most = std::min({text.size(), below - 1, kMaxToken});
  if (most < 2) return best;
  std::uint32_t node = pairs_[pair_of(text)];
  for (std::uint32_t size = 2; node != kNone; ++size) {
    if (tokens_[node] != kNoToken) best = {tokens_[node], size};
    if (size == most) break;
    node = child(node, text[size]);
  }
  return best;
}

}  // namespace crivo::records
