// SPDX-License-Identifier: Apache-2.0
#include "structures/filter_set/name_table.hpp"

#include <algorithm>

#include "base/arithmetic.hpp"

namespace crivo::filter_set {

std::string_view NameTable::name(std::uint64_t group) const noexcept {
  auto at = base::load_le<std::uint64_t>(places_ + entry_bytes_ * (group / kBlock));
  for (std::uint64_t g = group / kBlock * kBlock; at < names_.size(); ++g) {
    const auto size = std::to_integer<std::uint64_t>(names_[at]);
    if (size > names_.size() - at - 1) break;
    if (g == group) return base::as_text(names_.subspan(at + 1, size));
    at += 1 + size;
  }
  return {};
}

std::optional<std::uint64_t> NameTable::find(std::string_view wanted) const noexcept {
  std::uint64_t low = 0;  // the last block whose first name is not above the wanted one
  std::uint64_t high = base::div_ceil(groups_, kBlock);
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (name(middle * kBlock) <= wanted ? low : high) = middle;
  }
  const std::uint64_t end = std::min(groups_, (low + 1) * kBlock);
  for (std::uint64_t g = low * kBlock; g < end; ++g) {
    if (name(g) == wanted && !wanted.empty()) return g;
  }
  return std::nullopt;
}

void NameTable::check() const {
  const base::FieldReader at(base::ByteView(), "groups section");
  std::uint64_t place = 0;
  std::string_view before;
  for (std::uint64_t g = 0; g < groups_; ++g) {
    if (g % kBlock == 0 &&
        base::load_le<std::uint64_t>(places_ + entry_bytes_ * (g / kBlock)) != place)
      at.fail("a place of groups is wrong");
    const std::string_view own = name(g);
    if (own.empty() || (g != 0 && own <= before)) at.fail("the names do not ascend");
    if (own.find_first_of(std::string_view("\0\t\n", 3)) != std::string_view::npos)
      at.fail("a name has a NUL, a TAB or a LF");
    before = own;
    place += 1 + own.size();
  }
  if (place != names_.size()) at.fail("its names are not those of its groups");
}

}  // namespace crivo::filter_set
