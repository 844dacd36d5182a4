// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include "lookup/describe.hpp"
#include "lookup/row_layers.hpp"

namespace crivo::index {
namespace {

constexpr std::string_view kAnyRow = "any key gets some row";

void add_count(const char* name, const char* text, std::uint64_t count, FileInfo& info) {
  info.rows.push_back({name, count, text, std::to_string(count)});
}

void describe_files(const tables::RowLayers& layers, FileInfo& info) {
  const auto all = layers.layers();
  add_count("files", "files", layers.files() - layers.removed().count(), info);
  add_count("rows", "rows", layers.rows(), info);
  if (std::ranges::all_of(all, [](const auto& layer) { return layer.files.has_groups(); })) {
    std::uint64_t groups = 0;
    for (const tables::RowLayer& layer : all) groups += layer.files.groups();
    add_count("row_groups", "row groups", groups, info);
  }
  const bool knows = std::ranges::all_of(
      all, [](const tables::RowLayer& layer) { return layer.stamps.has_value(); });
  info.rows.push_back({"check_files", knows, "stamps of files", knows ? "kept" : "none"});
}

}  // namespace

void describe_rows(const file::Container& container, FileInfo& info) {
  const tables::RowLayers layers(container, {});
  const map::MapFile& map = layers.layers().front().map;
  info.algorithm = map.algorithm();
  describe_files(layers, info);
  describe_overhead(map.function().width() + map.signature_bits(), info);
  describe_refusals(map.signature_bits(), kAnyRow, info);
  info.parameters = map.function().parameters();
}

void describe_row_chain(const file::Container& container, const std::vector<file::Container>& files,
                        FileInfo& info) {
  const tables::RowLayers layers(container, files);
  info.algorithm = "rows";
  info.state = file::to_hex(layers.state());
  describe_files(layers, info);
  add_count("removed_files", "removed files", layers.removed().count(), info);
  unsigned bits = 32;
  double fpr = 0;
  for (const tables::RowLayer& layer : layers.layers()) {
    const unsigned own = layer.map.signature_bits();
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
