// SPDX-License-Identifier: Apache-2.0
#include "lookup/row_layers.hpp"

#include <algorithm>

#include "crivo/rows.hpp"
#include "file/section_types.hpp"
#include "lookup/chain_file.hpp"
#include "lookup/kinds.hpp"
#include "structures/exact/flip_list.hpp"

namespace crivo::tables {
namespace {

FileList open_files(const file::Container& container) {
  const base::ByteView section = container.require(file::kRowFilesSection, "row files");
  return file::naming(container.name(), [&] { return FileList(container.touched(section)); });
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

file::Digest state_with(const std::optional<file::Digest>& before, const file::Digest& layer) {
  return before ? exact::state_after(*before, layer) : layer;
}

RowLayers::RowLayers(const file::Container& own, const std::vector<file::Container>& links) {
  std::uint64_t files = 0;
  std::optional<file::Digest> state;
  for (const file::Container* const file : exact::pointers(own, links)) {
    index::require_kind(*file, file::Kind::rows);
    const RowLayer& layer = layers_.emplace_back(*file, files);
    files += layer.files.files();
    keys_ += file->header().keys;
    rows_ += layer.files.rows();
    state = state_with(state, file->digest());
    const bool numbers = keys_are_numbers(*file);
    if (layers_.size() == 1) has_numbers_ = numbers;
    if (numbers != has_numbers_) own.fail("damaged: the keys of some layers alone are numbers");
  }
  state_ = *state;
  removed_ = RemovedFiles(files);
  if (links.empty()) return;
  const base::ByteView section = own.require(file::kRemovedFilesSection, "removed files");
  removed_ = file::naming(own.name(), [&] { return RemovedFiles::decode(section); });
  check_chain(own);
}

void RowLayers::check_chain(const file::Container& chain) const {
  if (layers_.size() > kMostRowLayers) chain.fail("damaged: it has too many layers");
  if (exact::decode_chain(chain).state != state_)
    chain.fail("damaged: its layers lead to another state");
  const RowLayer& last = layers_.back();
  if (chain.header().keys != keys_ || removed_.files() != last.first_file + last.files.files())
    chain.fail("damaged: it disagrees with its layers on the number of keys or files");
  for (const RowLayer& layer : layers_) {
    const file::Header& header = layer.container->header();
    if (header.seed != chain.header().seed || header.key_hash != chain.header().key_hash)
      chain.fail("damaged: its layers have other hashes");
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
