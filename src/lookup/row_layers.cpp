// SPDX-License-Identifier: Apache-2.0
#include "lookup/row_layers.hpp"

#include <algorithm>
#include <utility>

#include "crivo/rows.hpp"
#include "file/section_types.hpp"
#include "lookup/chain_file.hpp"
#include "lookup/kinds.hpp"

namespace crivo::tables {
namespace {

FileList open_files(const file::Container& container) {
  const base::ByteView section = container.require(file::kRowFilesSection, "row files");
  return file::naming(container.name(), [&] { return FileList(container.touched(section)); });
}

std::vector<RowLayer> layers_of(const file::Container& own,
                                const std::vector<file::Container>& links) {
  std::vector<RowLayer> layers;
  std::uint64_t files = 0;
  for (const file::Container* const file : exact::pointers(own, links)) {
    index::require_kind(*file, file::Kind::rows);
    files += layers.emplace_back(*file, files).files.files();
  }
  return layers;
}

std::vector<std::uint64_t> files_of(const std::vector<RowLayer>& layers) {
  std::vector<std::uint64_t> counts;
  counts.reserve(layers.size());
  for (const RowLayer& layer : layers) counts.push_back(layer.files.files());
  return counts;
}

/// Whether the keys of a file are numbers.
bool keys_are_numbers(const file::Container& container) {
  const file::Metadata metadata = container.metadata();
  const auto found = metadata.find(kFixedName);
  if (found == metadata.end()) return false;
  if (found->second != "8") container.fail("damaged: its keys are numbers of another width than 8");
  return true;
}

}  // namespace

KeyRows::KeyRows(const file::Container& container) {
  const auto section = container.find(file::kRowListsSection);
  if (!section) {
    map_.emplace(container);
    return;
  }
  if (container.find(file::kRibbonFunctionSection) || container.find(file::kRibbonSection))
    container.fail("damaged: it has row lists beside a static function");
  lists_.emplace(
      file::naming(container.name(), [&] { return RowLists(container.touched(*section)); }));
  if (lists_->keys() != container.header().keys)
    container.fail("damaged: the header and the row lists disagree on n");
}

RowLayer::RowLayer(const file::Container& opened, std::uint64_t first)
    : container(&opened), keys(opened), files(open_files(opened)), first_file(first) {
  const auto section = opened.find(file::kRowStampsSection);
  if (!section) return;
  stamps = file::naming(opened.name(),
                        [&] { return FileStamps(opened.touched(*section), files.files()); });
}

RowLayers::RowLayers(const file::Container& own, const std::vector<file::Container>& links)
    : RowLayers(layers_of(own, links), own, links) {}

RowLayers::RowLayers(std::vector<RowLayer> layers, const file::Container& own,
                     const std::vector<file::Container>& links)
    : layers_(std::move(layers)), names_(own, links, files_of(layers_)) {
  for (const RowLayer& layer : layers_) rows_ += layer.files.rows();
  has_numbers_ = keys_are_numbers(*layers_.front().container);
  for (const RowLayer& layer : layers_) {
    if (keys_are_numbers(*layer.container) != has_numbers_)
      own.fail("damaged: the keys of some layers alone are numbers");
  }
}

bool RowLayers::has_lists() const noexcept {
  return std::ranges::any_of(layers_,
                             [](const RowLayer& layer) { return layer.keys.lists() != nullptr; });
}

std::uint64_t RowLayers::places() const noexcept {
  std::uint64_t places = 0;
  for (const RowLayer& layer : layers_) {
    const RowLists* const lists = layer.keys.lists();
    places += lists != nullptr ? lists->places() : layer.container->header().keys;
  }
  return places;
}

std::uint64_t RowLayers::null_keys() const noexcept {
  std::uint64_t rows = 0;
  for (const RowLayer& layer : layers_) rows += layer.files.null_keys();
  return rows;
}

const RowLayer& RowLayers::layer_of(std::uint64_t file) const noexcept {
  return *(std::ranges::upper_bound(layers_, file, {}, &RowLayer::first_file) - 1);
}

}  // namespace crivo::tables
