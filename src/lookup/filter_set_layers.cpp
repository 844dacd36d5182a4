// SPDX-License-Identifier: Apache-2.0
#include "lookup/filter_set_layers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/arithmetic.hpp"
#include "lookup/chain_file.hpp"
#include "lookup/kinds.hpp"

namespace crivo::filter_set {
namespace {

std::vector<FilterSetLayers::Layer> layers_of(const file::Container& own,
                                              const std::vector<file::Container>& links) {
  std::vector<FilterSetLayers::Layer> layers;
  for (const file::Container* const file : exact::pointers(own, links)) {
    index::require_kind(*file, file::Kind::filter_set);
    layers.push_back({file, FilterSetFile(*file)});
  }
  return layers;
}

std::vector<std::uint64_t> groups_of(const std::vector<FilterSetLayers::Layer>& layers) {
  std::vector<std::uint64_t> counts;
  counts.reserve(layers.size());
  for (const auto& layer : layers) counts.push_back(layer.set.groups());
  return counts;
}

}  // namespace

FilterSetLayers::FilterSetLayers(const file::Container& own,
                                 const std::vector<file::Container>& links)
    : FilterSetLayers(layers_of(own, links), own, links) {}

FilterSetLayers::FilterSetLayers(std::vector<Layer> layers, const file::Container& own,
                                 const std::vector<file::Container>& links)
    : layers_(std::move(layers)),
      names_(own, links, filter_set::groups_of(layers_)),
      is_chain_(!links.empty()) {
  if (!is_chain_) return;
  check_alike(own);
  number_groups(own);
}

/// Layers are asked as one set, and are put together to one.
void FilterSetLayers::check_alike(const file::Container& chain) const {
  for (const Layer& layer : layers_) {
    if (!layer.set.is_like(layers_.front().set))
      chain.fail("damaged: its layers have filters of other forms");
  }
}

void FilterSetLayers::number_groups(const file::Container& chain) {
  struct Named {
    std::string_view name;
    LivePlace place;
  };
  std::vector<Named> live;
  std::uint64_t number = 0;
  for (std::uint32_t i = 0; i < layers_.size(); ++i) {
    const std::uint64_t groups = layers_[i].set.groups();
    layers_[i].numbers.assign(groups, kNoGroup);
    const auto begin = static_cast<std::ptrdiff_t>(live.size());
    for (std::uint64_t group = 0; group < groups; ++group, ++number) {
      if (names_.removed().has(number)) continue;
      live.push_back({layers_[i].set.name(group), {i, group}});
    }
    const auto own = std::ranges::subrange(live.begin() + begin, live.end());
    if (!std::ranges::is_sorted(own, {}, &Named::name))
      layers_[i].container->fail("damaged: the names do not ascend");
    std::ranges::inplace_merge(live, live.begin() + begin, {}, &Named::name);
  }
  const auto twice = std::ranges::adjacent_find(live, {}, &Named::name);
  if (twice != live.end()) chain.fail("damaged: two layers have the group " + quote(twice->name));
  places_.reserve(live.size());
  for (const Named& one : live) {
    layers_[one.place.layer].numbers[one.place.group] = places_.size();
    places_.push_back(one.place);
  }
}

double FilterSetLayers::rate() const noexcept {
  if (groups() == 0) return 0;
  return std::ldexp(static_cast<double>(layers_.front().set.rate()), -64);
}

std::optional<std::uint64_t> FilterSetLayers::find(std::string_view name) const noexcept {
  for (const Layer& layer : layers_) {
    const std::optional<std::uint64_t> group = layer.set.find(name);
    if (!group) continue;
    if (!is_chain_) return group;
    if (layer.numbers[*group] != kNoGroup) return layer.numbers[*group];
  }
  return std::nullopt;
}

bool FilterSetLayers::contains(std::uint64_t group, Hash128 hash) const noexcept {
  bool answer = false;
  contains(group, {&hash, 1}, &answer);
  return answer;
}

void FilterSetLayers::contains(std::uint64_t group, std::span<const Hash128> hashes,
                               bool* answers) const noexcept {
  if (group >= groups()) {
    std::fill_n(answers, hashes.size(), false);
    return;
  }
  const Place at = place(group);
  at.layer->set.contains(at.group, hashes, answers);
}

void FilterSetLayers::groups_of(std::span<const Hash128> hashes,
                                std::uint64_t* bitmaps) const noexcept {
  const std::uint64_t words = base::div_ceil(groups(), 64);
  std::fill_n(bitmaps, words * hashes.size(), 0);
  for (const Layer& layer : layers_) layer.set.groups_of(hashes, bitmaps, words, layer.told());
}

void FilterSetLayers::count(std::span<const Hash128> hashes, std::uint32_t* counts) const noexcept {
  for (const Layer& layer : layers_) layer.set.count(hashes, counts, layer.told());
}

}  // namespace crivo::filter_set
