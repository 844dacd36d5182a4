// SPDX-License-Identifier: Apache-2.0
#include "crivo/build/extract.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "crivo/build/sort.hpp"
#include "crivo/error.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/exit_code.hpp"
#include "program/from_option.hpp"
#include "program/input_paths.hpp"
#include "program/progress_line.hpp"
#include "program/values.hpp"
#include "program/work_options.hpp"

namespace crivo::cli {
namespace {

constexpr std::string_view kWords[] = {"ascii", "icu"};

struct ExtractCommand {
  std::string what;
  std::vector<std::string> paths;
  std::string from = "auto";
  std::string words = "ascii";
  bool no_fold = false;
  std::string output;  ///< empty: standard output
  FormatOptions formats;
  ExtractOptions options;
  WorkOptions work;
  SortOptions sort{.unique = true};
  ReportOptions reports;
  Progress progress;
};

/// The library does not know what it reads, so that it cannot see that the output is one of it.
void refuse_inputs(const ExtractCommand& command) {
  for (const std::string& path : command.paths) {
    std::error_code none;
    if (path != "-" && std::filesystem::equivalent(path, command.output, none))
      throw Error(ErrorKind::usage, command.output + ": is one of the inputs");
  }
}

SortSummary extract(ExtractCommand& command, ExtractSummary& extracted, Output& out) {
  const KeyInput keys = extracted_keys(command.paths, command.options, extracted);
  const ProgressLine line(command.progress, command.reports, command.paths);
  // Documents are numbered as they stand in the collection.
  const auto write_keys = command.options.what == Extract::docnos ? copy_keys : sort_keys;
  if (!command.output.empty()) {
    refuse_inputs(command);
    return write_keys(keys, command.output, command.sort);
  }
  const auto write = [&](std::span<const std::byte> bytes) {
    out.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  };
  return write_keys(keys, crivo::Output::to(write), command.sort);
}

void print_extracted(const ExtractCommand& command, const ExtractSummary& extracted,
                     const SortSummary& sorted) {
  if (command.reports.json) {
    print_json({{"schema", 1},
                {"records", extracted.records},
                {"bad_records", extracted.bad_records},
                {"cut_files", extracted.cut_files},
                {"keys", extracted.keys},
                {"written", sorted.written},
                {"bytes", sorted.bytes},
                {"threads", sorted.threads},
                {"seconds", sorted.seconds},
                {"temp_bytes", sorted.temp_bytes},
                {"peak_rss_bytes", peak_rss_bytes()}});
  } else if (!command.reports.quiet && !command.output.empty()) {
    print_line(command.output + ": " + std::to_string(sorted.written) +
               (command.sort.unique ? " distinct of " : " of ") + counted(extracted.keys, "key") +
               ", from " + counted(extracted.records, "record") + ", of which " +
               std::to_string(extracted.bad_records) +
               (extracted.bad_records == 1 ? " is bad" : " are bad"));
  }
}

/// "urls from lines, warc, arc or cdx;" and so on, a line each.
std::string extracted_from() {
  std::string text;
  for (std::size_t i = 1; i < kExtractNames.size(); ++i) {
    std::vector<std::string_view> names;
    for (const CollectionInfo& each : collections().subspan(1)) {
      if (std::ranges::find(each.keys, Extract(i)) != each.keys.end()) names.push_back(each.name);
    }
    text += (text.empty() ? "" : ";\n") + std::string(kExtractNames[i]) + " from " + any_of(names);
  }
  return text;
}

int extract_command(ExtractCommand& command) {
  if (command.reports.json && command.output.empty())
    throw Error(ErrorKind::usage, "--json needs -o FILE, since keys go to standard output");
  require_inputs(command.paths, "INPUT");
  command.paths = with_files_in_folders(command.paths);
  command.options.what =
      static_cast<Extract>(std::ranges::find(kExtractNames, command.what) - kExtractNames.begin());
  command.options.from = collection_named(command.from).collection;
  command.options.format = command.formats.format();
  if (command.words == "icu")
    throw Error(ErrorKind::usage, "--words icu: this program was built without ICU");
  command.options.fold = !command.no_fold;
  command.sort.unique = command.options.what != Extract::docnos;
  command.options.distinct = !command.sort.count;
  // Half as many bytes to sort, in the same order.
  command.options.binary = command.sort.hex = command.sort.numbers =
      command.options.what == Extract::kmers;
  command.work.put_in(command.sort.resources);
  command.options.threads = command.sort.resources.threads;
  command.sort.resources.progress = &command.progress;
  ExtractSummary extracted;
  Output out;
  const SortSummary sorted = extract(command, extracted, out);
  out.flush();
  std::vector<Warning> warnings = extracted.warnings;
  if (const auto faults = extracted.bad_records + extracted.cut_files; faults > warnings.size())
    warnings.push_back({.text = std::to_string(faults - warnings.size()) + " more like these"});
  warnings.insert(warnings.end(), sorted.warnings.begin(), sorted.warnings.end());
  const int code = report_published(warnings, command.reports.quiet,
                                    [&] { print_extracted(command, extracted, sorted); });
  return extracted.cut_files != 0 ? exit_code(ErrorKind::bad_input) : code;
}

}  // namespace

void add_extract(CLI::App& app, Action& action) {
  auto options = std::make_shared<ExtractCommand>();
  std::vector<std::string> formats;
  for (const CollectionInfo& each : collections()) formats.emplace_back(each.name);
  CLI::App* command = app.add_subcommand(
      "extract",
      "write the keys of collections, distinct and sorted\n\n"
      "It extracts " +
          extracted_from() +
          ".\n"
          "Terms of warc and arc are those of the pages. docnos keep their order; kmers are for\n"
          "--hex. Bad records are named and skipped. A file that is cut short gives what came\n"
          "before, and exit 3.\n"
          "Example: crivo extract urls crawl.warc.gz | crivo build mphf - -o urls.crv");
  command->add_option("WHAT", options->what, "lines, urls, terms, docnos or kmers")
      ->required()
      ->transform(one_of(kExtractNames));
  add_input_paths(*command, "INPUT", options->paths,
                  "input files, or directories of them; - or none is standard input");
  command->add_option("-o,--output", options->output, "the file to write; default standard output")
      ->type_name("FILE")
      ->transform(output_path());
  command->add_option("--from", options->from, "the format of the files")
      ->type_name("FORMAT")
      ->transform(one_of(formats))
      ->capture_default_str();
  command
      ->add_option("--records", options->options.record_types,
                   "types of WARC records: response, resource, revisit, conversion")
      ->type_name("TYPE,...")
      ->delimiter(',');
  command->add_flag("--surt", options->options.surt, "URLs as com,example)/path, as CDX has them");
  command->add_flag("--no-fold", options->no_fold, "keep A to Z in terms");
  command->add_option("--words", options->words, "how texts are divided into terms: ascii or icu")
      ->transform(one_of(kWords))
      ->capture_default_str();
  command->add_flag("--once", options->options.once, "count a term once a document");
  command->add_option("-k", options->options.k, "bases of a k-mer, 1 to 31")
      ->type_name("K")
      ->transform(count_value(1, kMostBases))
      ->capture_default_str();
  command->add_flag("-c,--count", options->sort.count, "write key<TAB>how often it occurs");
  command->add_flag("--null-output", options->sort.null_output, "end keys with NUL instead of LF");
  command->add_flag("--pisa", options->sort.payload_vector,
                    "write a payload vector of PISA (.termlex, .doclex), not lines");
  command
      ->add_option(
          "--max-record", options->options.max_record_bytes,
          "of terms: a page that its Content-Encoding makes larger is a bad record; default 64M")
      ->type_name("BYTES")
      ->transform(size_value(1, UINT64_MAX));
  command->add_flag("--strict", options->options.strict, "end with exit 3 at a bad record");
  options->formats.add_to(*command, false);
  options->work.add_to(*command);
  add_force(*command, options->sort.replace);
  options->reports.add_to(*command);
  command->callback(
      [options, &action] { action = [options] { return extract_command(*options); }; });
}

}  // namespace crivo::cli
