// SPDX-License-Identifier: Apache-2.0
#include "stream/distinct_count.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace crivo::stream {

DistinctCount::DistinctCount(std::uint64_t most)
    : most_(most), together_(std::max<std::uint64_t>(most, std::uint64_t{1} << 14)) {}

std::uint64_t DistinctCount::finish() {
  merge();
  return distinct_.size();
}

void DistinctCount::merge() {
  std::ranges::sort(added_);
  const auto again = std::ranges::unique(added_);
  added_.erase(again.begin(), again.end());
  std::vector<Hash128> all;
  all.reserve(distinct_.size() + added_.size());
  std::ranges::set_union(distinct_, added_, std::back_inserter(all));
  distinct_ = std::move(all);
  added_.clear();
}

}  // namespace crivo::stream
