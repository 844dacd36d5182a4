// SPDX-License-Identifier: Apache-2.0
#include "lookup/filter_set_file.hpp"

#include <algorithm>

#include "file/section_types.hpp"

namespace crivo::filter_set {
namespace {

constexpr std::size_t kFormBytes = 24;

}  // namespace

FilterSetFile::Set FilterSetFile::open(const file::Container& container) {
  return file::naming(container.name(), [&]() -> Set {
    const base::ByteView groups = container.require(file::kFilterGroupsSection, "groups");
    const base::ByteView filters = container.require(file::kFiltersSection, "filters");
    if (groups.size() >= 4 && base::load_le<std::uint32_t>(groups.data()) == kBlocksLayout)
      return FilterBlocks(groups, filters);
    return GroupedFilters(groups, filters);
  });
}

FilterSetFile::FilterSetFile(const file::Container& container)
    : set_(open(container)),
      form_(container.require(file::kFilterGroupsSection, "groups").first(kFormBytes)) {}

bool FilterSetFile::is_like(const FilterSetFile& other) const noexcept {
  return set_.index() == other.set_.index() && std::ranges::equal(form_, other.form_);
}

}  // namespace crivo::filter_set
