// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include "crivo/rows.hpp"
#include "lookup/describe.hpp"
#include "lookup/row_layers.hpp"

namespace crivo::index {
namespace {

constexpr std::string_view kListsName = "lists";
constexpr std::string_view kAnyRow = "any key gets some row";

void describe_files(const tables::RowLayers& layers, FileInfo& info) {
  const auto all = layers.layers();
  add_count("files", "files", layers.files() - layers.removed().count(), info);
  add_count("rows", "rows", layers.rows(), info);
  if (layers.null_keys() != 0) add_count("null_keys", "rows without key", layers.null_keys(), info);
  if (layers.has_lists()) add_count("places", "places of keys", layers.places(), info);
  if (std::ranges::all_of(all, [](const auto& layer) { return layer.files.has_groups(); })) {
    std::uint64_t groups = 0;
    for (const tables::RowLayer& layer : all) groups += layer.files.groups();
    add_count("row_groups", "row groups", groups, info);
  }
  info.rows.push_back({"key_form", layers.has_numbers() ? "numbers" : "texts", "keys are",
                       layers.has_numbers() ? "64-bit numbers" : "texts"});
  const bool knows = std::ranges::all_of(
      all, [](const tables::RowLayer& layer) { return layer.stamps.has_value(); });
  info.rows.push_back({"check_files", knows, "stamps of files", knows ? "kept" : "none"});
}

}  // namespace

void describe_rows(const file::Container& container, FileInfo& info) {
  const tables::RowLayers layers(container, {});
  const tables::KeyRows& keys = layers.layers().front().keys;
  describe_files(layers, info);
  if (const map::MapFile* const map = keys.map()) {
    info.algorithm = map->algorithm();
    describe_overhead(keys.width() + keys.signature_bits(), info);
    info.parameters = map->function().parameters();
  } else {
    info.algorithm = kListsName;
  }
  describe_refusals(keys.signature_bits(), kAnyRow, info);
}

void describe_row_chain(const file::Container& container, const std::vector<file::Container>& files,
                        FileInfo& info) {
  const tables::RowLayers layers(container, files);
  info.algorithm = "rows";
  info.state = file::to_hex(layers.state());
  if (layers.has_numbers()) info.metadata.emplace(kFixedName, "8");
  describe_files(layers, info);
  add_count("removed_files", "removed files", layers.removed().count(), info);
  unsigned bits = 32;
  double fpr = 0;
  for (const tables::RowLayer& layer : layers.layers()) {
    const unsigned own = layer.keys.signature_bits();
    bits = std::min(bits, own);
    const double own_fpr = std::ldexp(1.0, -static_cast<int>(own));
    fpr += own_fpr;
    info.layers.push_back({layer.container->header().keys, layer.container->bytes(), own_fpr});
    info.bytes += layer.container->bytes();
  }
  describe_refusals(bits, kAnyRow, info);
  info.fpr = std::min(1.0, fpr);
}

}  // namespace crivo::index
