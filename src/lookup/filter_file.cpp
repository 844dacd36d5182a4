// SPDX-License-Identifier: Apache-2.0
#include "lookup/filter_file.hpp"

#include <algorithm>
#include <vector>

#include "file/only_structure.hpp"
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

}  // namespace crivo::filter
