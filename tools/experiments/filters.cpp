// SPDX-License-Identifier: Apache-2.0
#include "experiments/filters.hpp"

#include <algorithm>
#include <array>

#include "base/sink.hpp"
#include "build/chosen.hpp"
#include "crivo/progress.hpp"
#include "lookup/filter_file.hpp"
#include "lookup/key_hash.hpp"

namespace crivo::experiments {

double BuiltFilter::bits_per_key() const noexcept {
  return 8 * static_cast<double>(section.size()) / static_cast<double>(membership->size());
}

double BuiltFilter::positive_part(std::span<const Hash128> hashes) const {
  std::array<bool, 1024> answers{};
  const auto all = static_cast<double>(hashes.size());
  std::uint64_t positives = 0;
  while (!hashes.empty()) {
    const auto block = hashes.first(std::min(answers.size(), hashes.size()));
    membership->contains(block, answers.data());
    positives += static_cast<std::uint64_t>(std::count(
        answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(block.size()), true));
    hashes = hashes.subspan(block.size());
  }
  return static_cast<double>(positives) / all;
}

BuiltFilter build_filter(const FilterOptions& options, const stream::SortedHashes& hashes) {
  const filter::Builder& type = filter::find_type(options);
  Progress progress;
  base::MemorySink sink;
  type.build(hashes, options, {1, progress}, sink);
  BuiltFilter built{.section = sink.take(), .membership = nullptr};
  built.membership = type.type().open(built.section);
  return built;
}

hashing::SeededHash filter_hash(const FilterOptions& options, std::uint64_t seed) {
  return {hashing::hash_family(filter::find_type(options).type().key_hash), seed};
}

}  // namespace crivo::experiments
