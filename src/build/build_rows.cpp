// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
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
#include "file/content_id.hpp"
#include "file/section_types.hpp"
#include "file/table_stamp.hpp"
#include "input/row_files.hpp"
#include "structures/tables/build/build_lists.hpp"
#include "structures/tables/build/encode_files.hpp"
#include "structures/tables/file_stamps.hpp"

namespace crivo {
namespace index {
namespace {

/// Adds what is known of the files: sections that are written behind the others, and counted in
/// the build id.
void add_files(const RowsOptions& rows, const input::RowFiles& files, Recipe& recipe) {
  std::vector<tables::FileRows> listed;
  for (const input::RowFile& file : files.files())
    listed.push_back({file.name, file.rows, file.groups});
  const auto write_later = [&](std::uint32_t type, base::Bytes bytes) {
    auto section = std::make_shared<const base::Bytes>(std::move(bytes));
    Step& step = recipe.steps.emplace_back();
    step.section_type = type;
    step.form.emplace<StepWritten>().write = [section, type](const BeginSection& begin) {
      begin(type, 0).append(*section);
    };
    return section;
  };
  const auto section = write_later(file::kRowFilesSection,
                                   tables::encode_files(listed, files.has_groups(), files.nulls()));
  if (rows.check_files) {
    std::vector<file::TableStamp> stamps;  // as the files are now
    for (const input::RowFile& file : files.files())
      stamps.push_back(file::read_table_stamp(file.name));
    write_later(file::kRowStampsSection, tables::encode_stamps(stamps));
  }
  recipe.found_later = [section] {
    return FoundLater{.sum = base::load_le<std::uint64_t>(file::content_hash(*section).data())};
  };
}

/// Plans an index of rows, which are in `files`.
Recipe plan(const RowsOptions& rows, const input::KeySet& set, const input::RowFiles& files) {
  Recipe recipe;
  if (rows.many) {
    const tables::ListTotals totals{*set.distinct, set.keys.size()};
    recipe.header.keys = totals.keys;
    recipe.algorithm = "lists";
    if (rows.no_tree) recipe.tree = file::HashTree::none;
    recipe.steps.push_back({.section_type = file::kRowListsSection,
                            .phase = "lists",
                            .form = StepInParts{.assembly = tables::plan_lists(
                                                    totals, files.rows(), rows.signature_bits)}});
  } else {
    recipe = index::plan(map_of_rows(rows, files.rows()), KeyTotals{.keys = set.keys.size()});
    recipe.header = {};
    recipe.header.keys = set.keys.size();
  }
  recipe.header.kind = file::Kind::rows;
  recipe.metadata = metadata_of(rows);
  add_files(rows, files, recipe);
  return recipe;
}

}  // namespace

MapOptions map_of_rows(const RowsOptions& rows, std::uint64_t count) {
  const unsigned bits =
      static_cast<unsigned>(std::bit_width(count - std::min<std::uint64_t>(count, 1)));
  return {.value_bits = std::max(bits, 1U),
          .signature_bits = rows.signature_bits,
          .no_tree = rows.no_tree};
}

MemoryNeed rows_memory(const RowsOptions& rows, const MapOptions& map, bool ignore_duplicates) {
  if (rows.many) return {.stream_bytes = 24 + 16, .work_bytes = 8e6};  // and the spool of lists
  return map_memory(map, map.value_bits, ignore_duplicates);
}

KeyInput rows_input(const KeyInput& input, const std::string& null_text) {
  KeyInput rows = input;
  if (input.format.quotes || !input.format.json_key.empty() || !null_text.empty())
    rows.format.null_text = null_text;
  return rows;
}

void check_rows_options(const RowsOptions& rows) {
  if (rows.many)
    (void)tables::plan_lists({}, 0, rows.signature_bits);  // refuses what it cannot build
}

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
  check_rows_options(rows);
  Progress none;
  const auto files =
      row_files_of(rows, input.format,
                   options.resources.progress != nullptr ? *options.resources.progress : none);
  const MapOptions map = map_of_rows(rows, std::uint64_t{1} << 40);
  FileBuild build{
      .choices = every_choice(chosen(rows)),
      .units = Units::values,
      .memory = rows_memory(rows, map, options.ignore_duplicates),
      .phases = rows.many ? std::vector<PhaseCost>{{"sort", 10}, {"lists", 60}} : map_phases(map),
      .read =
          [&](const KeyInput& keys, input::HashOptions hashing, const base::BuildContext& context,
              const input::UseKeys& use) {
            if (rows.many) hashing.duplicates = input::DuplicatePolicy::differing;
            hash_rows(keys, *files, hashing, context, use);
          },
      .plan = [&](const input::KeySet& set,
                  const base::BuildContext&) { return plan(rows, set, *files); }};
  build.header.kind = file::Kind::rows;
  build.header.key_hash = built_hash(hashing::KeyHashId::xxh3, options);
  return build_file(rows_input(input, rows.null_text), output, build, options, hash);
}

}  // namespace index

BuildSummary build_rows(const KeyInput& input, const Output& output, const RowsOptions& rows,
                        const BuildOptions& options) try {
  return index::build_rows(input, output, rows, options, index::usual_family(options));
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
