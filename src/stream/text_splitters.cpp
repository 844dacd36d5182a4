// SPDX-License-Identifier: Apache-2.0
#include "stream/text_splitters.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace crivo::stream {
namespace {

/// How many of `count` ascending numbers are at most `value`.
std::size_t count_up_to(const std::uint64_t* numbers, std::size_t count,
                        std::uint64_t value) noexcept {
  const std::uint64_t* base = numbers;
  while (count > 1) {
    const std::size_t half = count / 2;
    base += base[half - 1] <= value ? half : 0;
    count -= half;
  }
  return static_cast<std::size_t>(base - numbers) + (count == 1 && *base <= value ? 1 : 0);
}

}  // namespace

TextSplitters TextSplitters::of_sample(std::vector<std::string_view> sample, std::size_t pieces) {
  std::ranges::sort(sample);
  std::vector<std::string> bounds;
  std::size_t before = sample.size();
  for (std::size_t i = 1; i < pieces && !sample.empty(); ++i) {
    const std::size_t at = i * sample.size() / pieces;
    if (std::exchange(before, at) == at) continue;  // of long texts there are few
    const std::string_view text = sample[at];
    const auto [first, last] = std::ranges::equal_range(sample, text);
    if (first != sample.begin()) {  // the shortest text above all before it does as well
      bounds.emplace_back(text.substr(0, base::shared_bytes(first[-1], text) + 1));
    }
    const auto times = static_cast<std::size_t>(last - first);
    if (times > 1 && times >= sample.size() / pieces) {
      bounds.emplace_back(text);
      bounds.emplace_back(text) += '\0';  // the next text there can be
    }
  }
  std::ranges::sort(bounds);
  const auto repeated = std::ranges::unique(bounds);
  bounds.erase(repeated.begin(), repeated.end());
  return TextSplitters(std::move(bounds));
}

TextSplitters::TextSplitters(std::vector<std::string> bounds) : bounds_(std::move(bounds)) {
  shared_.resize(pieces());
  one_text_.resize(pieces());
  for (std::size_t i = 0; i + 1 < bounds_.size(); ++i) {
    const std::string_view begin = bounds_[i];
    const std::string_view end = bounds_[i + 1];
    shared_[i + 1] = begin.substr(0, base::shared_bytes(begin, end));
    one_text_[i + 1] =
        end.size() == begin.size() + 1 && end.starts_with(begin) && end.back() == '\0';
  }
  if (!bounds_.empty()) add_node(0, static_cast<std::uint32_t>(bounds_.size()), 0);
}

/// A node of the bounds from `begin` to before `end`, all of which have the same first `depth`
/// bytes, and its children.
std::uint32_t TextSplitters::add_node(std::uint32_t begin, std::uint32_t end, std::size_t depth) {
  const std::string_view first = bounds_[begin];
  const std::size_t shared = base::shared_bytes(first, bounds_[end - 1]);
  const auto slice_of = [&](std::uint32_t bound) { return slice_at(bounds_[bound], shared); };
  std::vector<std::uint32_t> begins;  // of groups
  for (std::uint32_t bound = begin; bound != end; ++bound) {
    if (bound == begin || slice_of(bound) != slice_of(bound - 1)) begins.push_back(bound);
  }
  const auto node = static_cast<std::uint32_t>(nodes_.size());
  const auto slices = static_cast<std::uint32_t>(slices_.size());
  nodes_.push_back({first.substr(depth, shared - depth), begin, end, slices,
                    static_cast<std::uint32_t>(begins.size())});
  for (const std::uint32_t bound : begins) {
    slices_.push_back(slice_of(bound));
    groups_.push_back({bound, kNoNode});
  }
  begins.push_back(end);
  for (std::uint32_t i = 0; i + 1 < begins.size(); ++i) {
    if (is_last(slices_[slices + i])) continue;
    const std::uint32_t child = add_node(begins[i], begins[i + 1], shared + kSliceBytes);
    groups_[slices + i].node = child;
  }
  return node;
}

std::size_t TextSplitters::piece_of(std::string_view text) const noexcept {
  if (nodes_.empty()) return 0;
  for (const Node* node = nodes_.data();;) {
    const std::string_view skip = node->skip;
    const int order = text.substr(0, skip.size()).compare(skip);
    if (order != 0) return order < 0 ? node->begin : node->end;
    text.remove_prefix(skip.size());
    const std::uint64_t slice = slice_at(text, 0);
    const std::size_t up_to = count_up_to(slices_.data() + node->slices, node->slice_count, slice);
    const std::size_t past =
        up_to == node->slice_count ? node->end : groups_[node->slices + up_to].begin;
    if (up_to == 0 || slices_[node->slices + up_to - 1] != slice) return past;
    const std::uint32_t child = groups_[node->slices + up_to - 1].node;
    if (child == kNoNode) return past;
    text.remove_prefix(kSliceBytes);
    node = nodes_.data() + child;
  }
}

}  // namespace crivo::stream
