// SPDX-License-Identifier: Apache-2.0
#include "lookup/filter_file.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "crivo/error.hpp"
#include "crivo/filter.hpp"
#include "file/container.hpp"
#include "file/section_types.hpp"
#include "structures/layers.hpp"

namespace crivo::filter {

FilterFile::FilterFile(const file::Container& container) {
  type = file::only_structure(container, types());
  if (type == nullptr) container.fail("damaged: it has no filter section");
  section = container.require(type->section_type, type->name);
  std::vector<std::unique_ptr<const Membership>> all;
  layers = static_cast<std::uint64_t>(
      std::ranges::count(container.sections(), type->section_type, &file::SectionEntry::type));
  for (std::uint64_t layer = 0; layer != layers; ++layer) {
    const auto found = container.find(type->section_type, layer);
    if (!found) container.fail("damaged: a layer of the filter is missing");
    all.push_back(file::naming(container.name(), [&] { return type->open(*found); }));
  }
  membership = join_layers(std::move(all));
  if (!hashing::stands_for(container.header().key_hash, type->key_hash)) {
    container.fail("damaged: the header and the filter disagree on the key hash function");
  }
  if (membership->size() != container.header().keys) {
    container.fail("damaged: the header and the filter disagree on n");
  }
}

const Type& layer_type() noexcept {
  return *std::ranges::find(types(), file::kRibbonSection, &Type::section_type);
}

AddedLayers::AddedLayers(const file::Container& container, const exact::Delta& delta) {
  const auto sections = static_cast<std::uint64_t>(
      std::ranges::count(container.sections(), file::kRibbonSection, &file::SectionEntry::type));
  if (!delta.of_filter || sections != delta.lists.size())
    container.fail("damaged: the lists and the layers disagree on their number");
  std::uint64_t keys = 0;
  for (std::uint64_t tag = 0; tag < sections; ++tag) {
    const auto section = container.find(file::kRibbonSection, tag);
    if (!section) container.fail("damaged: a layer is missing");
    const auto& layer = layers.emplace_back(
        file::naming(container.name(), [&] { return layer_type().open(*section); }));
    keys += layer->size();
    if (tag != 0 && delta.lists[tag].members != delta.lists[tag - 1].members + layer->size())
      container.fail("damaged: the lists and the layers disagree on the keys");
  }
  if (keys != container.header().keys)
    container.fail("damaged: the header and the layers disagree on the keys");
}

LinkedFilter::LinkedFilter(const std::vector<const file::Container*>& files)
    : LinkedFilter(files, FilterFile(*files.front())) {}

LinkedFilter::LinkedFilter(const std::vector<const file::Container*>& files, FilterFile base)
    : ChainState(*files.front(), {.of_filter = true}),
      type_(base.type),
      base_fpr_(base.membership->fpr()) {
  std::vector<std::unique_ptr<const Membership>> all;
  all.push_back(std::move(base.membership));
  for (std::size_t i = 1; i < files.size(); ++i) {
    const file::Container& file = *files[i];
    const exact::Delta delta = exact::read_delta(file);
    const std::uint64_t before = members();
    follow(file, delta);
    AddedLayers added(file, delta);
    if (members() != before + file.header().keys)
      file.fail("damaged: the lists and the layers disagree on the keys");
    std::ranges::move(added.layers, std::back_inserter(all));
  }
  membership_ = join_layers(std::move(all));
}

bool LinkedFilter::is_outgrown() const noexcept {
  return is_long() || membership_->fpr() > kMaxOverfill * base_fpr_;
}

}  // namespace crivo::filter
