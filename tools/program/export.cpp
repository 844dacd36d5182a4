// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/build/foreign.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/progress_line.hpp"
#include "program/values.hpp"
#include "program/work_options.hpp"

namespace crivo::cli {
namespace {

constexpr const char* kClubcards = "clubcard-index";
constexpr const char* kParquet = "parquet-bloom";
constexpr const char* kPuffin = "puffin";

struct ExportCommand {
  std::string format;
  std::vector<std::string> paths;
  std::string output;
  std::vector<std::string> columns;
  double fpr = 0;
  std::vector<std::uint32_t> fields;
  WorkOptions work;
  ReportOptions reports;
  Progress progress;
  BuildOptions options;
};

std::vector<std::filesystem::path> paths_of(const ExportCommand& command) {
  return {command.paths.begin(), command.paths.end()};
}

/// Throws Error(usage) for options of formats that are not the one.
void refuse_others(const ExportCommand& command) {
  if (command.format != kParquet && (!command.columns.empty() || command.fpr != 0))
    throw Error(ErrorKind::usage, "--column and --fpr are options of parquet-bloom alone");
  if (command.format != kPuffin && !command.fields.empty())
    throw Error(ErrorKind::usage, "--field is an option of puffin alone");
}

int export_parquet(ExportCommand& command) {
  constexpr double kUsualFpr = 0.01;
  if (command.paths.size() != 1)
    throw Error(ErrorKind::usage, "parquet-bloom takes one Parquet file");
  if (command.columns.empty())
    throw Error(ErrorKind::usage, "parquet-bloom needs --column: the columns that get filters");
  command.work.put_in(command.options.resources);
  command.options.resources.progress = &command.progress;
  foreign::ParquetFiltersSummary made;
  {
    const ProgressLine line(command.progress, command.reports, command.paths);
    made = foreign::write_parquet_filters(command.paths.front(), command.columns,
                                          command.fpr != 0 ? command.fpr : kUsualFpr,
                                          command.output, command.options);
  }
  return report_published({}, command.reports.quiet, [&] {
    if (command.reports.json) {
      print_json({{"schema", 1},
                  {"row_groups", made.row_groups},
                  {"filters", made.filters},
                  {"filter_bytes", made.filter_bytes},
                  {"bytes", made.bytes}});
    } else if (!command.reports.quiet) {
      print_line(command.output + ": " + counted(made.filters, "filter") + " of " +
                 human_bytes(static_cast<double>(made.filter_bytes)) + " in " +
                 counted(made.row_groups, "row group"));
    }
  });
}

int export_files(ExportCommand& command) {
  refuse_others(command);
  if (command.format == kParquet) return export_parquet(command);
  if (command.format == kPuffin) {
    foreign::write_puffin(paths_of(command), command.fields, command.output, command.options);
  } else {
    foreign::write_clubcard_index(paths_of(command), command.output, command.options);
  }
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  auto options = std::make_shared<ExportCommand>();
  CLI::App* command = app.add_subcommand(
      "export",
      "write what files say in a format of others\n\n"
      "clubcard-index is upki's index.bin: it names the clubcards of its directory, and the logs "
      "and\ntimes that each covers. parquet-bloom copies a Parquet file and adds Bloom filters of "
      "columns, by\nwhich engines pass over row groups. puffin puts filters into one file of "
      "Apache Iceberg's, as\nblobs of a provisional type.\n"
      "Examples: crivo export clubcard-index site/base.filter site/day1.delta -o site/index.bin\n"
      "          crivo export parquet-bloom t.parquet --column url -o with-filters.parquet\n"
      "          crivo export puffin a.crv b.crv --field 3 -o filters.puffin");
  command->add_option("FORMAT", options->format, "clubcard-index, parquet-bloom or puffin")
      ->required()
      ->transform(one_of({kClubcards, kParquet, kPuffin}));
  command
      ->add_option("FILES", options->paths,
                   "clubcards, in the order in which they are asked; a Parquet file; or filters")
      ->required()
      ->transform(mapped_path());
  command
      ->add_option("--column", options->columns,
                   "a column that gets filters, by its name (a.b within a); repeat it for more")
      ->type_name("NAME")
      ->transform(name_value())
      ->allow_extra_args(false);
  command
      ->add_option("--fpr", options->fpr,
                   "of parquet-bloom: the highest false-positive rate to allow; default 1%")
      ->type_name("P")
      ->transform(rate_value());
  command->add_option("--field", options->fields, "of puffin: a field of the table, by its id")
      ->type_name("ID")
      ->transform(count_value(0, INT32_MAX))
      ->allow_extra_args(false);
  command->add_option("-o,--output", options->output, "what to write")
      ->required()
      ->type_name("PATH")
      ->transform(output_path());
  options->work.add_to(*command);
  add_force(*command, options->options.replace);
  options->reports.add_to(*command);
  command->callback([options, &action] { action = [options] { return export_files(*options); }; });
}

}  // namespace crivo::cli
