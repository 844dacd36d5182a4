// SPDX-License-Identifier: Apache-2.0
#include "crivo/build/shards.hpp"

#include <filesystem>
#include <vector>

#include "capi/build/input.hpp"
#include "capi/build/run_build.hpp"
#include "capi/call.hpp"
#include "crivo/build/kinds.hpp"

namespace crivo::capi {
namespace {

PartitionOptions partition_options(const crivo_partition_options* given) {
  const crivo_partition_options from = taken(given);
  PartitionOptions options;
  if (from.shards != 0) options.shards = from.shards;
  options.values = from.values != 0;
  options.form = value_form(from.value_type, from.scale);
  options.hash = text_or(from.hash, options.hash.c_str());
  options.records = from.records != 0;
  options.texts = from.texts != 0;
  options.repeated = repeated_records(from.repeated);
  options.numbers = from.no_numbers == 0;
  options.grouped = from.grouped != 0;
  options.group_delimiter = text_or(from.group_delimiter, "");
  options.prefixes = text_or(from.prefixes, "");
  options.filter_set = from.filter_set != 0;
  if (from.rows != 0) {
    options.rows = RowsOptions{.many = from.many != 0,
                               .null_text = text_or(from.null_text, ""),
                               .fixed = from.fixed,
                               .row_groups = text_or(from.row_groups, "")};
  } else if (from.many != 0 || from.fixed != 0 || from.null_text != nullptr ||
             from.row_groups != nullptr) {
    throw Error(ErrorKind::usage, "many, fixed, null_text and row_groups need rows");
  }
  if (from.part.count != 0) options.part = {from.part.index, from.part.count};
  return options;
}

using Join = BuildSummary (*)(const std::vector<std::filesystem::path>& parts,
                              const std::filesystem::path& output, const BuildOptions& options);
crivo_status join(Join both, const char* const* parts, size_t count, const char* output,
                  const crivo_build_options* options, crivo_summary* summary) {
  return run_build(options, summary, [&](const BuildOptions& how) {
    return both(paths_of(parts, count), needed(output, "the output"), how);
  });
}

}  // namespace
}  // namespace crivo::capi

using namespace crivo;

crivo_status crivo_partition_keys(const crivo_input* input, const char* directory,
                                  const crivo_partition_options* partition,
                                  const crivo_build_options* options,
                                  crivo_partition_summary* summary) {
  return capi::call([&] {
    capi::tell_warnings({});
    if (summary != nullptr) capi::check_struct_size(summary->struct_size);
    PartitionSummary done;
    capi::with_build_options(options, [&](const BuildOptions& how) {
      done = partition_keys(capi::given_input(input), capi::needed(directory, "the directory"),
                            capi::partition_options(partition), how);
    });
    if (summary != nullptr)
      capi::give(crivo_partition_summary{.struct_size = 0,
                                         .keys = done.keys,
                                         .duplicates = done.duplicates,
                                         .bytes = done.bytes,
                                         .seconds = done.seconds,
                                         .was_done = done.was_done ? 1 : 0},
                 summary);
    capi::tell_warnings(done.warnings);
  });
}
crivo_status crivo_finish_partition(const char* directory, const crivo_build_options* options,
                                    crivo_partition_totals* totals) {
  return capi::call([&] {
    capi::tell_warnings({});
    if (totals != nullptr) capi::check_struct_size(totals->struct_size);
    PartitionTotals counted;
    capi::with_build_options(options, [&](const BuildOptions& how) {
      counted = finish_partition(capi::needed(directory, "the directory"), how);
    });
    if (totals != nullptr)
      capi::give(crivo_partition_totals{.struct_size = 0,
                                        .keys = counted.keys,
                                        .duplicates = counted.duplicates,
                                        .tasks = counted.tasks,
                                        .seconds = counted.seconds},
                 totals);
    capi::tell_warnings(counted.warnings);
  });
}

crivo_status crivo_build_part(const char* kind, const char* directory, crivo_share shard,
                              const char* output, const char* const* choices,
                              const crivo_build_options* options, crivo_summary* summary) {
  return capi::run_build(options, summary, [&](const BuildOptions& how) {
    return build_part(capi::needed(kind, "the kind"), capi::needed(directory, "the directory"),
                      {shard.index, shard.count}, capi::needed(output, "the output"),
                      capi::choices_of(choices), how);
  });
}

crivo_status crivo_merge_parts(const char* const* parts, size_t count, const char* output,
                               const crivo_build_options* options, crivo_summary* summary) {
  return capi::join(merge_parts, parts, count, output, options, summary);
}
crivo_status crivo_write_manifest(const char* const* parts, size_t count, const char* output,
                                  const crivo_build_options* options, crivo_summary* summary) {
  return capi::join(write_manifest, parts, count, output, options, summary);
}
