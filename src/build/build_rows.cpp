// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
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

/// Adds a section that is written behind those of keys.
void write_later(std::uint32_t type, std::function<base::ByteView()> bytes, Recipe& recipe) {
  Step& step = recipe.steps.emplace_back();
  step.section_type = type;
  step.form.emplace<StepWritten>().write = [type,
                                            bytes = std::move(bytes)](const BeginSection& begin) {
    begin(type, 0).append(bytes());
  };
}

base::Bytes encode_listed(std::span<const input::RowFile> files, bool has_groups,
                          std::uint64_t nulls) {
  std::vector<tables::FileRows> listed;
  for (const input::RowFile& file : files) listed.push_back({file.name, file.rows, file.groups});
  return tables::encode_files(listed, has_groups, nulls);
}

/// How a file of the table is. Throws Error(bad_input) for one that is not there; Error(io).
file::TableStamp stamp_of(const std::string& name) {
  std::error_code ignored;
  if (!std::filesystem::exists(name, ignored))
    throw Error(ErrorKind::bad_input,
                name +
                    ": is not there, and the index is to know how each of its files is; leave "
                    "the rows of files that are no more out of the input");
  return file::read_table_stamp(name);
}

/// Plans an index of rows, which are in `files`.
Recipe plan(const RowsOptions& rows, const input::KeySet& set, const input::RowFiles& files) {
  const std::uint64_t places = set.keys.size();
  Recipe recipe = index::plan(rows, {.keys = set.distinct.value_or(places),
                                     .value_bits = tables::number_bits(files.rows()),
                                     .places = places});
  add_row_files(rows, files.files(), files.has_groups(), files.nulls(), recipe);
  return recipe;
}

}  // namespace

// The totals by value, as of every kind.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
Recipe plan(const RowsOptions& rows, KeyTotals totals) {
  const MapOptions map = map_of_rows(rows, totals.value_bits);
  Recipe recipe;
  if (rows.many) {
    recipe.algorithm = "lists";
    if (rows.no_tree) recipe.tree = file::HashTree::none;
    recipe.steps.push_back({.section_type = file::kRowListsSection,
                            .phase = "lists",
                            .form = StepInParts{.assembly = tables::plan_lists(
                                                    {totals.keys, totals.places}, totals.value_bits,
                                                    rows.signature_bits)}});
  } else {
    recipe = plan(map, {.keys = totals.keys});
  }
  recipe.header = {};
  recipe.header.kind = file::Kind::rows;
  recipe.header.keys = totals.keys;
  recipe.metadata = metadata_of(rows);
  recipe.value_width = totals.value_bits;
  recipe.memory = rows_memory(rows, map, false);
  return recipe;
}

void add_row_files(const RowsOptions& rows, std::span<const input::RowFile> files, bool has_groups,
                   std::uint64_t nulls, Recipe& recipe) {
  const auto section = std::make_shared<const base::Bytes>(encode_listed(files, has_groups, nulls));
  write_later(
      file::kRowFilesSection, [section] { return base::ByteView(*section); }, recipe);
  if (rows.check_files) {
    std::vector<file::TableStamp> stamps;  // as the files are now
    for (const input::RowFile& file : files) stamps.push_back(stamp_of(file.name));
    const auto bytes = std::make_shared<const base::Bytes>(tables::encode_stamps(stamps));
    write_later(
        file::kRowStampsSection, [bytes] { return base::ByteView(*bytes); }, recipe);
  }
  recipe.found_later = [section] {
    return FoundLater{.sum = base::load_le<std::uint64_t>(file::content_hash(*section).data())};
  };
}

void add_row_files(const file::Container& part, Recipe& recipe) {
  for (const std::uint32_t type : {file::kRowFilesSection, file::kRowStampsSection}) {
    if (const auto section = part.find(type))
      write_later(
          type, [bytes = *section] { return bytes; }, recipe);
  }
}

base::Bytes encode_files(const input::RowFiles& files) {
  return encode_listed(files.files(), files.has_groups(), files.nulls());
}

MapOptions map_of_rows(const RowsOptions& rows, unsigned width) {
  return {.value_bits = width, .signature_bits = rows.signature_bits, .no_tree = rows.no_tree};
}

MemoryNeed rows_memory(const RowsOptions& rows, const MapOptions& map, bool ignore_duplicates) {
  if (rows.many) return {.stream_bytes = 24 + 16, .work_bytes = 8e6};  // and the spool of lists
  return map_memory(map, map.value_bits, ignore_duplicates);
}

KeyInput rows_input(const KeyInput& input, const RowsOptions& rows) {
  if (rows.fixed != 0 && (input.format.hex || !input.format.leading_keys.empty()))
    base::refuse_option("fixed", "is for keys of one column, in decimal digits");
  KeyInput own = input;
  if (input.format.quotes || !input.format.json_key.empty() || !rows.null_text.empty())
    own.format.null_text = rows.null_text;
  own.format.numbers |= rows.fixed != 0;
  return own;
}

void take_key_choices(const file::Metadata& metadata, RowsOptions& rows) {
  const RowsOptions own = options_of<RowsOptions>(recorded_choices(metadata));
  rows.null_text = own.null_text;
  rows.fixed = own.fixed;
}

void check_rows_options(const RowsOptions& rows) {
  if (rows.fixed != 0 && rows.fixed != 8) base::refuse_option("fixed", rows.fixed, "is not 0 or 8");
  if (rows.many)
    (void)tables::plan_lists({}, 1, rows.signature_bits);  // refuses what it cannot build
}

std::shared_ptr<input::RowFiles> row_files_of(const RowsOptions& rows, const KeyFormat& format,
                                              Progress& progress, bool apart) {
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
  return std::make_shared<input::RowFiles>(std::move(known), apart);
}

BuildSummary build_rows(const KeyInput& input, const Output& output, const RowsOptions& rows,
                        const BuildOptions& options, const hashing::HashFamily& hash) {
  check_rows_options(rows);
  Progress none;
  const auto files =
      row_files_of(rows, input.format,
                   options.resources.progress != nullptr ? *options.resources.progress : none);
  const MapOptions map = map_of_rows(rows, 40);
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
  return build_file(rows_input(input, rows), output, build, options, hash);
}

}  // namespace index

BuildSummary build_rows(const KeyInput& input, const Output& output, const RowsOptions& rows,
                        const BuildOptions& options) try {
  return index::build_rows(input, output, rows, options, index::usual_family(options));
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
