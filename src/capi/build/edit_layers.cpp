// SPDX-License-Identifier: Apache-2.0
/// Changes of chains of layers: of indexes of rows, and of filter sets.
#include <string>
#include <vector>

#include "capi/build/input.hpp"
#include "capi/build/run_build.hpp"
#include "capi/call.hpp"
#include "crivo/build/edit.hpp"

namespace crivo::capi {
namespace {

/// The edit of a caller's crivo_rows_edit, or crivo_filterset_edit.
template <typename From>
LayersEdit layers_edit(const From& from) {
  LayersEdit edit{.snapshot = text_or(from.snapshot, "")};
  if (from.removed_count != 0 && from.removed == nullptr)
    throw Error(ErrorKind::usage, "removed is NULL, and removed_count is not 0");
  for (size_t i = 0; i < from.removed_count; ++i)
    edit.removed.emplace_back(needed(from.removed[i], "a name that is removed"));
  return edit;
}

void give_names(const LayersChange& done, crivo_rows_change& answer) noexcept {
  answer.files = done.names;
  answer.removed_files = done.removed_names;
}
void give_names(const LayersChange& done, crivo_filterset_change& answer) noexcept {
  answer.groups = done.names;
  answer.removed_groups = done.removed_names;
}

/// Runs edit(from, what, options), of what the caller gave, and tells what it did.
template <typename From, typename Change, typename Edit>
crivo_status edit_layers(const From* given, const crivo_build_options* options, Change* change,
                         Edit&& edit) noexcept {
  return call([&] {
    tell_warnings({});
    if (change != nullptr) check_struct_size(change->struct_size);
    const From from = taken(given);
    const LayersEdit what = layers_edit(from);
    LayersChange done;
    with_build_options(options, [&](const BuildOptions& how) { done = edit(from, what, how); });
    tell_warnings(done.warnings);
    if (change == nullptr) return;
    Change answer{};
    answer.bytes = done.bytes;
    answer.layers = done.layers;
    answer.keys = done.keys;
    answer.added = done.added;
    give_names(done, answer);
    copy_text(done.state, answer.state);
    give(answer, change);
  });
}

RowsOptions rows_of(const crivo_rows_edit& from) {
  return {.row_groups = text_or(from.row_groups, ""), .check_files = from.check_files != 0};
}

}  // namespace
}  // namespace crivo::capi

using namespace crivo;

crivo_status crivo_rows_add(const char* rows, const crivo_input* pairs, const char* chain,
                            const crivo_rows_edit* edit, const crivo_build_options* options,
                            crivo_rows_change* change) {
  return capi::edit_layers(
      edit, options, change,
      [&](const crivo_rows_edit& from, const LayersEdit& what, const auto& how) {
        return add_rows(capi::needed(rows, "the index"), capi::given_input(pairs),
                        capi::needed(chain, "the chain"), capi::rows_of(from), what, how);
      });
}
crivo_status crivo_rows_remove(const char* rows, const char* chain, const crivo_rows_edit* edit,
                               const crivo_build_options* options, crivo_rows_change* change) {
  return capi::edit_layers(edit, options, change,
                           [&](const crivo_rows_edit&, const LayersEdit& what, const auto& how) {
                             return remove_rows(capi::needed(rows, "the index"),
                                                capi::needed(chain, "the chain"), what, how);
                           });
}
crivo_status crivo_rows_compact(const char* chain, const crivo_input* pairs,
                                const crivo_rows_edit* edit, const crivo_build_options* options,
                                crivo_rows_change* change) {
  return capi::edit_layers(
      edit, options, change,
      [&](const crivo_rows_edit& from, const LayersEdit& what, const auto& how) {
        return compact_rows(capi::needed(chain, "the chain"), capi::given_input(pairs),
                            capi::rows_of(from), what, how);
      });
}

crivo_status crivo_filterset_add(const char* set, const crivo_input* pairs, const char* chain,
                                 const crivo_filterset_edit* edit,
                                 const crivo_build_options* options,
                                 crivo_filterset_change* change) {
  return capi::edit_layers(
      edit, options, change,
      [&](const crivo_filterset_edit&, const LayersEdit& what, const auto& how) {
        return add_groups(capi::needed(set, "the filter set"), capi::given_input(pairs),
                          capi::needed(chain, "the chain"), what, how);
      });
}
crivo_status crivo_filterset_remove(const char* set, const char* chain,
                                    const crivo_filterset_edit* edit,
                                    const crivo_build_options* options,
                                    crivo_filterset_change* change) {
  return capi::edit_layers(
      edit, options, change,
      [&](const crivo_filterset_edit&, const LayersEdit& what, const auto& how) {
        return remove_groups(capi::needed(set, "the filter set"), capi::needed(chain, "the chain"),
                             what, how);
      });
}
crivo_status crivo_filterset_compact(const char* chain, const crivo_filterset_edit* edit,
                                     const crivo_build_options* options,
                                     crivo_filterset_change* change) {
  return capi::edit_layers(
      edit, options, change,
      [&](const crivo_filterset_edit&, const LayersEdit& what, const auto& how) {
        return compact_groups(capi::needed(chain, "the chain"), what, how);
      });
}
