// SPDX-License-Identifier: Apache-2.0
/// Changes of indexes of rows.
#include <string>
#include <vector>

#include "capi/build/input.hpp"
#include "capi/build/run_build.hpp"
#include "capi/call.hpp"
#include "crivo/build/edit.hpp"

namespace crivo::capi {
namespace {

LayersEdit rows_edit(const crivo_rows_edit& from) {
  LayersEdit edit{.snapshot = text_or(from.snapshot, "")};
  if (from.removed_count != 0 && from.removed == nullptr)
    throw Error(ErrorKind::usage, "removed is NULL, and removed_count is not 0");
  for (size_t i = 0; i < from.removed_count; ++i)
    edit.removed.emplace_back(needed(from.removed[i], "the name of a removed file"));
  return edit;
}

/// Runs edit(layer, what, options), and tells what it did.
template <typename Edit>
crivo_status edit_rows(const crivo_rows_edit* given, const crivo_build_options* options,
                       crivo_rows_change* change, Edit&& edit) noexcept {
  return call([&] {
    tell_warnings({});
    if (change != nullptr) check_struct_size(change->struct_size);
    const crivo_rows_edit from = taken(given);
    const RowsOptions layer{.row_groups = text_or(from.row_groups, ""),
                            .check_files = from.check_files != 0};
    const LayersEdit what = rows_edit(from);
    LayersChange done;
    with_build_options(options, [&](const BuildOptions& how) { done = edit(layer, what, how); });
    tell_warnings(done.warnings);
    if (change == nullptr) return;
    crivo_rows_change answer{};
    answer.bytes = done.bytes;
    answer.layers = done.layers;
    answer.keys = done.keys;
    answer.added = done.added;
    answer.files = done.names;
    answer.removed_files = done.removed_names;
    copy_text(done.state, answer.state);
    give(answer, change);
  });
}

}  // namespace
}  // namespace crivo::capi

using namespace crivo;

crivo_status crivo_rows_add(const char* rows, const crivo_input* pairs, const char* chain,
                            const crivo_rows_edit* edit, const crivo_build_options* options,
                            crivo_rows_change* change) {
  return capi::edit_rows(edit, options, change,
                         [&](const RowsOptions& layer, const LayersEdit& what, const auto& how) {
                           return add_rows(capi::needed(rows, "the index"),
                                           capi::given_input(pairs),
                                           capi::needed(chain, "the chain"), layer, what, how);
                         });
}
crivo_status crivo_rows_remove(const char* rows, const char* chain, const crivo_rows_edit* edit,
                               const crivo_build_options* options, crivo_rows_change* change) {
  return capi::edit_rows(edit, options, change,
                         [&](const RowsOptions&, const LayersEdit& what, const auto& how) {
                           return remove_rows(capi::needed(rows, "the index"),
                                              capi::needed(chain, "the chain"), what, how);
                         });
}
crivo_status crivo_rows_compact(const char* chain, const crivo_input* pairs,
                                const crivo_rows_edit* edit, const crivo_build_options* options,
                                crivo_rows_change* change) {
  return capi::edit_rows(edit, options, change,
                         [&](const RowsOptions& layer, const LayersEdit& what, const auto& how) {
                           return compact_rows(capi::needed(chain, "the chain"),
                                               capi::given_input(pairs), layer, what, how);
                         });
}
