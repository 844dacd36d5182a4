// SPDX-License-Identifier: Apache-2.0
#include "lookup/map_file.hpp"

#include <algorithm>
#include <array>

#include "file/container.hpp"
#include "file/section_types.hpp"

namespace crivo::map {

MapFile::MapFile(const file::Container& container) : pages_(container.page_checks()) {
  const Algorithm* const found = file::only_structure(container, algorithms());
  if (found == nullptr) container.fail("damaged: it has no section of a static function");
  const base::ByteView bytes = container.require(found->section_type, found->name);
  function_ = file::naming(container.name(), [&] {
    return found->open(container.touched(bytes), [&] { container.forget(); });
  });
  algorithm_ = found->name;
  const std::uint64_t keys = container.header().keys;
  if (function_->size() != keys) {
    container.fail("damaged: the header and the static function disagree on n");
  }
  const auto section = container.find(file::kRibbonSection);
  if (!section) return;
  const auto table = file::naming(container.name(), [&] {
    return ribbon::Table(container.touched(*section), ribbon::HashPart::first_half);
  });
  signature_bits_ = table.width();
  if (signature_bits_ != 8 && signature_bits_ != 16 && signature_bits_ != 32) {
    container.fail("damaged: its signatures do not have 8, 16 or 32 bits");
  }
  if (table.size() != keys) container.fail("damaged: the header and the signatures disagree on n");
  signatures_.emplace(table);
}

void MapFile::lookup(std::span<const Hash128> hashes, std::uint64_t* values, bool* present,
                     bool* damaged) const noexcept {
  std::fill_n(damaged, hashes.size(), false);
  const base::DamageWatch watch(pages_.checks());
  lookup(hashes, values, present);
  for (std::size_t i = 0; watch.has_seen() && i < hashes.size(); ++i) {
    if (!is_damaged(hashes[i])) continue;
    values[i] = 0;
    present[i] = false;
    damaged[i] = true;
  }
}

void MapFile::lookup(std::span<const Hash128> hashes, std::uint64_t* values,
                     bool* present) const noexcept {
  constexpr std::size_t kBlock = 256;
  if (function_->size() == 0) {
    std::fill_n(values, hashes.size(), 0);
    std::fill_n(present, hashes.size(), false);
    return;
  }
  if (!signatures_) {
    function_->values(hashes, values);
    std::fill_n(present, hashes.size(), true);
    return;
  }
  std::array<Hash128, kBlock> found;
  std::array<std::uint64_t, kBlock> found_values;
  while (!hashes.empty()) {
    const auto block = hashes.first(std::min(kBlock, hashes.size()));
    signatures_->contains(block, present);
    std::size_t count = 0;
    for (std::size_t i = 0; i < block.size(); ++i) {
      found[count] = block[i];
      count += present[i] ? 1 : 0;
    }
    function_->values(std::span(found).first(count), found_values.data());
    const std::uint64_t* next = found_values.data();
    for (std::size_t i = 0; i < block.size(); ++i) values[i] = present[i] ? *next++ : 0;
    hashes = hashes.subspan(block.size());
    values += block.size();
    present += block.size();
  }
}

}  // namespace crivo::map
