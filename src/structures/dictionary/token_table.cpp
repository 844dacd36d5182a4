// SPDX-License-Identifier: Apache-2.0
#include "structures/dictionary/token_table.hpp"

#include <algorithm>
#include <utility>

namespace crivo::dictionary {

TokenTrie::TokenTrie(const TokenTexts& tokens) {
  constexpr std::size_t kLabels = 256;
  std::vector<std::pair<std::string_view, std::uint32_t>> sorted;
  sorted.reserve(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i)
    sorted.emplace_back(tokens[i], static_cast<std::uint32_t>(i));
  std::sort(sorted.begin(), sorted.end());
  nodes_.resize(1 + kLabels);
  std::vector<Range> open{{0, 0, sorted.size(), 0}};
  while (!open.empty()) {
    const Range range = open.back();
    open.pop_back();
    add_children(sorted, range, open);
  }
  // Every base plus every label is a node.
  nodes_.resize(nodes_.size() + kLabels);
}

void TokenTrie::add_children(const std::vector<std::pair<std::string_view, std::uint32_t>>& sorted,
                             const Range& range, std::vector<Range>& open) {
  std::size_t i = range.begin;
  if (i < range.end && sorted[i].first.size() == range.depth)
    nodes_[range.node].token = sorted[i++].second;
  std::vector<unsigned char> labels;
  std::vector<std::size_t> begins;
  for (; i < range.end; ++i) {
    const auto label = static_cast<unsigned char>(sorted[i].first[range.depth]);
    if (!labels.empty() && labels.back() == label) continue;
    labels.push_back(label);
    begins.push_back(i);
  }
  if (labels.empty()) return;
  begins.push_back(range.end);
  const std::uint32_t base = free_base(labels);
  nodes_[range.node].base = base;
  for (std::size_t c = 0; c < labels.size(); ++c) {
    nodes_[base + labels[c]].parent = range.node;
    open.push_back({base + labels[c], begins[c], begins[c + 1], range.depth + 1});
  }
}

/// A base at which the nodes of all labels are free. Where one node after the other is free and
/// does not do, little is, and what is left there stays so: else each search would begin with it.
std::uint32_t TokenTrie::free_base(const std::vector<unsigned char>& labels) {
  constexpr int kTries = 4;
  const auto is_free = [&](std::size_t node) {
    return node >= nodes_.size() || nodes_[node].parent == kNone;
  };
  while (!is_free(first_free_)) ++first_free_;
  int left = kTries;
  for (std::size_t first = first_free_;; ++first) {
    if (first <= labels[0] || !is_free(first)) continue;
    const std::size_t base = first - labels[0];
    if (std::all_of(labels.begin(), labels.end(),
                    [&](unsigned char label) { return is_free(base + label); })) {
      nodes_.resize(std::max(nodes_.size(), base + labels.back() + 1));
      return static_cast<std::uint32_t>(base);
    }
    if (--left == 0) {
      first_free_ = first;
      left = kTries;
    }
  }
}

void Cutter::cut(std::string_view text, std::vector<std::uint16_t>& tokens, std::size_t longest) {
  steps_.resize(std::max(steps_.size(), text.size() + 1));
  steps_[text.size()] = {0, 0, 0};
  for (std::size_t i = text.size(); i-- > 0;) {
    Step best{UINT32_MAX, 0, 0};
    trie_.for_each_match(text.substr(i, longest), [&](std::uint32_t token, std::size_t size) {
      const std::uint32_t cost = steps_[i + size].cost + 1;
      if (cost <= best.cost)
        best = {cost, static_cast<std::uint16_t>(token), static_cast<std::uint16_t>(size)};
    });
    steps_[i] = best;
  }
  for (std::size_t i = 0; i < text.size(); i += steps_[i].size) tokens.push_back(steps_[i].token);
}

}  // namespace crivo::dictionary
