// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "base/refuse_option.hpp"
#include "build/build_file.hpp"
#include "build/builds.hpp"
#include "build/built_hash.hpp"
#include "build/choices.hpp"
#include "build/chosen.hpp"
#include "build/map_input.hpp"
#include "build/memory_need.hpp"
#include "input/row_files.hpp"

namespace crivo {
namespace index {

std::shared_ptr<input::RowFiles> row_files_of(const RowsOptions& rows, const KeyFormat& format,
                                              Progress& progress) {
  std::optional<std::vector<input::RowFile>> known;
  if (!rows.row_groups.empty()) {
    KeyInput groups;
    groups.paths = {rows.row_groups};
    if (format.framing == KeyFormat::Framing::lines && format.json_key.empty()) {
      groups.format = {.strip_cr = format.strip_cr,
                       .key_column = 1,
                       .value_column = 2,
                       .row_column = 3,
                       .column_delimiter = format.column_delimiter,
                       .quotes = format.quotes,
                       .skip_header = format.skip_header};
    }
    known = input::read_row_groups(groups, progress);
  }
  return std::make_shared<input::RowFiles>(std::move(known));
}

BuildSummary build_rows(const KeyInput& input, const Output& output, const RowsOptions& rows,
                        const BuildOptions& options, const hashing::HashFamily& hash) {
  if (!options.resume_dir.empty()) base::refuse_option("resume_dir", "is not for an index of rows");
  Progress none;
  const auto files =
      row_files_of(rows, input.format,
                   options.resources.progress != nullptr ? *options.resources.progress : none);
  const MapOptions map = map_of_rows(rows, std::uint64_t{1} << 40);
  FileBuild build{
      .choices = every_choice(chosen(rows)),
      .units = Units::values,
      .memory = map_memory(map, map.value_bits, options.ignore_duplicates),
      .phases = map_phases(map),
      .read = [&](const KeyInput& keys, const input::HashOptions& hashing,
                  const base::BuildContext& context,
                  const input::UseKeys& use) { hash_rows(keys, *files, hashing, context, use); },
      .plan = [&](const input::KeySet& set,
                  const base::BuildContext&) { return plan(rows, set.keys.size(), files); }};
  build.header.kind = file::Kind::rows;
  build.header.key_hash = built_hash(hashing::KeyHashId::xxh3, options);
  return build_file(input, output, build, options, hash);
}

}  // namespace index

BuildSummary build_rows(const KeyInput& input, const Output& output, const RowsOptions& rows,
                        const BuildOptions& options) try {
  return index::build_rows(input, output, rows, options, index::usual_family(options));
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
