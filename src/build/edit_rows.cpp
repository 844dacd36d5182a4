// SPDX-License-Identifier: Apache-2.0
/// Changes of indexes of rows: each writes a chain (formats/rows.md).
#include <utility>

#include "base/as_error.hpp"
#include "build/builds.hpp"
#include "build/changed_layers.hpp"
#include "build/map_input.hpp"
#include "lookup/row_layers.hpp"

namespace crivo {
namespace {

using Path = std::filesystem::path;

constexpr index::LayeredKind kRowLayers{.kind = file::Kind::rows,
                                        .noun = "file",
                                        .ending = ".rows",
                                        .names = [](const file::Container& layer) {
                                          const tables::RowLayer opened(layer, 0);
                                          std::vector<std::string_view> names;
                                          for (std::uint64_t i = 0; i < opened.files.files(); ++i)
                                            names.push_back(opened.files.name(i));
                                          return names;
                                        }};

/// Builds a layer that is like the last one.
BuildSummary build_layer(index::ChangedLayers& changed, const KeyInput& pairs, RowsOptions layer,
                         const BuildOptions& options) {
  const tables::RowLayer last(*changed.layers().back(), 0);
  layer.signature_bits = last.keys.signature_bits();
  layer.many = last.keys.lists() != nullptr;
  index::take_key_choices(last.container->metadata(), layer);
  layer.check_files |= last.stamps.has_value();
  return index::build_rows(pairs, changed.next_layer(), layer,
                           index::options_of_layer(changed, options),
                           hashing::hash_family(changed.header().key_hash));
}

}  // namespace

LayersChange add_rows(const Path& rows, const KeyInput& pairs, const Path& chain,
                      const RowsOptions& layer, const LayersEdit& edit,
                      const BuildOptions& options) try {
  index::ChangedLayers changed(kRowLayers, rows, chain, options);
  changed.remove(edit.removed);
  BuildSummary built = build_layer(changed, pairs, layer, options);
  changed.add();
  return changed.publish(edit, options, std::move(built.warnings));
} catch (...) {
  base::rethrow_as_error();
}

LayersChange remove_rows(const Path& rows, const Path& chain, const LayersEdit& edit,
                         const BuildOptions& options) try {
  index::ChangedLayers changed(kRowLayers, rows, chain, options);
  changed.remove(edit.removed);
  return changed.publish(edit, options);
} catch (...) {
  base::rethrow_as_error();
}

LayersChange compact_rows(const Path& chain, const KeyInput& pairs, const RowsOptions& layer,
                          const LayersEdit& edit, const BuildOptions& options) try {
  index::ChangedLayers changed(kRowLayers, chain, chain, options);
  changed.remove(edit.removed);
  BuildSummary built = build_layer(changed, pairs, layer, options);
  changed.compact();
  return changed.publish(edit, options, std::move(built.warnings));
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
