// SPDX-License-Identifier: Apache-2.0
/// Changes of exact sets and filters: deltas and chains.
#include <filesystem>
#include <vector>

#include "capi/build/input.hpp"
#include "capi/build/run_build.hpp"
#include "capi/call.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/build/shards.hpp"

namespace crivo::capi {
namespace {

DeltaOptions delta_options(const crivo_delta_options* given) {
  const crivo_delta_options from = taken(given);
  return {.group_delimiter = text_or(from.group_delimiter, ""),
          .covers = text_or(from.covers, ""),
          .strict = from.strict != 0};
}

/// Runs change(paths), and tells what it did.
template <typename Change>
crivo_status change_deltas(const char* const* deltas, size_t count, crivo_delta_summary* summary,
                           Change&& change) noexcept {
  return call([&] {
    tell_warnings({});
    if (summary != nullptr) check_struct_size(summary->struct_size);
    const auto paths = paths_of(deltas, count);
    const DeltaSummary done = change(paths);
    tell_warnings(done.warnings);
    if (summary == nullptr) return;
    crivo_delta_summary answer{};
    answer.bytes = done.bytes;
    answer.base_bytes = done.base_bytes;
    answer.delta_bytes = done.delta_bytes;
    answer.deltas = done.deltas;
    answer.flips = done.flips;
    answer.members = done.members;
    copy_text(done.state, answer.state);
    answer.fpr = done.fpr;
    answer.rebase = done.rebase ? 1 : 0;
    give(answer, summary);
  });
}

}  // namespace
}  // namespace crivo::capi

using namespace crivo;

crivo_status crivo_build_delta(const char* set, const crivo_input* members,
                               const crivo_output* output, const crivo_delta_options* delta,
                               const crivo_build_options* options, crivo_summary* summary) {
  return capi::run_build(options, summary, [&](const BuildOptions& how) {
    const KeyInput& given = capi::given_input(members);
    if (!given.universe) throw Error(ErrorKind::usage, "the members have no universe");
    KeyInput some = given;
    some.universe = nullptr;
    return build_delta(capi::needed(set, "the set"), some, *given.universe, capi::output_of(output),
                       capi::delta_options(delta), how);
  });
}

crivo_status crivo_build_delta_part(const char* set, const char* directory, crivo_share shard,
                                    const char* output, const crivo_delta_options* delta,
                                    const crivo_build_options* options, crivo_summary* summary) {
  return capi::run_build(options, summary, [&](const BuildOptions& how) {
    return build_delta_part(capi::needed(set, "the set"), capi::needed(directory, "the directory"),
                            {shard.index, shard.count}, capi::needed(output, "the output"),
                            capi::delta_options(delta), how);
  });
}

crivo_status crivo_build_filter_delta(const char* filter, const crivo_input* added,
                                      const crivo_output* output,
                                      const crivo_filter_delta_options* delta,
                                      const crivo_build_options* options, crivo_summary* summary) {
  return capi::run_build(options, summary, [&](const BuildOptions& how) {
    const crivo_filter_delta_options from = capi::taken(delta);
    FilterDeltaOptions layer;
    if (from.fpr != 0) layer.fpr = from.fpr;
    return build_filter_delta(capi::needed(filter, "the filter"), capi::given_input(added),
                              capi::output_of(output), layer, how);
  });
}

crivo_status crivo_squash_deltas(const char* const* deltas, size_t count, const char* output,
                                 int replace, crivo_delta_summary* summary) {
  return capi::change_deltas(deltas, count, summary, [&](const auto& paths) {
    return squash_deltas(paths, capi::needed(output, "the output"), replace != 0);
  });
}

crivo_status crivo_apply_deltas(const char* set, const char* const* deltas, size_t count,
                                const char* output, const crivo_apply_options* options,
                                crivo_delta_summary* summary) {
  return capi::change_deltas(deltas, count, summary, [&](const auto& paths) {
    const crivo_apply_options from = capi::taken(options);
    ApplyOptions how{.replace = from.replace != 0};
    if (from.trust != nullptr) how.trust = capi::trust_of(*from.trust);
    return apply_deltas(capi::needed(set, "the set"), paths, capi::needed(output, "the output"),
                        how);
  });
}
