// SPDX-License-Identifier: Apache-2.0
#include "crivo/filter.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "crivo/build/edit.hpp"
#include "crivo/error.hpp"
#include "program/answers.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/filter_input.hpp"
#include "program/input_paths.hpp"
#include "program/progress_line.hpp"
#include "program/values.hpp"

namespace crivo::cli {
namespace {

struct EditCommand {
  std::string path;
  KeyInput input;
  FormatOptions formats;
  std::string duplicates = "error";
  FilterEditOptions options;
  std::string temp_dir;
  ReportOptions reports;
};

struct CountCommand {
  std::string path;
  std::vector<std::string> inputs;
  FormatOptions formats;
  ReportOptions reports;
  AnswerFormOption form;
};

struct CombineCommand {
  std::vector<std::string> paths;
  std::string output;
  bool replace = false;
  ReportOptions reports;
};

template <typename... Arguments>
std::string format(const char* pattern, Arguments... arguments) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), pattern, arguments...);
  return text.data();
}

/// Returns the members that are the same in all that leave a filter file behind.
Json json_of_file(const FileInfo& file) {
  Json json{{"schema", 1},       {"kind", file.kind},   {"type", file.algorithm},
            {"keys", file.keys}, {"bytes", file.bytes}, {"fpr", file.fpr.value_or(0)}};
  if (file.asked_fpr) json["asked_fpr"] = *file.asked_fpr;
  json["parameters"] = json_of(file.parameters);
  json["seed"] = file.seed;
  json["format_version"] = file.format_version;
  json["digest"] = file.digest;
  return json;
}

/// That a filter holds more keys than it was sized for, and so errs more often.
void warn_of_crowding(const std::string& path, const FilterEdit& done) {
  std::cerr << "crivo: warning: " << escape(path) << ": " << done.file.keys
            << " keys are more than its capacity of " << done.capacity
            << ": false positives are now " << percent(done.file.fpr.value_or(0))
            << (done.file.asked_fpr ? "; asked: at most " + percent(*done.file.asked_fpr) : "")
            << "; use --capacity to build a larger one\n";
}

int edit(EditCommand& command, bool adds) {
  if (command.input.paths.empty()) command.input.paths.emplace_back("-");
  command.input.format = command.formats.format();
  command.options.ignore_duplicates = command.duplicates == "ignore";
  command.options.resources.temp_dir = command.temp_dir;
  Progress progress;
  command.options.resources.progress = &progress;
  FilterEdit done;
  {
    const ProgressLine line(progress, command.reports, command.input.paths);
    done = adds ? add_to_filter(command.path, command.input, command.options)
                : remove_from_filter(command.path, command.input, command.options);
  }
  return report_published(done.warnings, command.reports.quiet, [&] {
    const bool crowded = done.file.keys > done.capacity;
    if (command.reports.json) {
      Json json = json_of_file(done.file);
      json["given"] = done.given;
      json["duplicates"] = done.duplicates;
      json["keys_before"] = done.keys_before;
      json["fpr_before"] = done.fpr_before;
      json["over_capacity"] = crowded;
      print_json(json);
    } else if (!command.reports.quiet) {
      const std::uint64_t grown = done.file.keys - std::min(done.file.keys, done.keys_before);
      const std::uint64_t held = done.given - std::min(done.given, grown);
      print_line(command.path + (adds ? ": added " : ": removed ") + counted(done.given, "key") +
                 (adds && held != 0 ? " (" + std::to_string(held) + (held == 1 ? " was" : " were") +
                                          " already present or a false positive)"
                                    : "") +
                 ": " + std::to_string(done.keys_before) + " -> " + counted(done.file.keys, "key") +
                 "; false positives: " + percent(done.fpr_before) + " -> " +
                 percent(done.file.fpr.value_or(0)) + " of absent keys");
      if (done.duplicates != 0) print_line(counted(done.duplicates, "duplicate key") + " left out");
    }
    if (adds && crowded && !command.reports.quiet) warn_of_crowding(command.path, done);
  });
}

/// Prints counts, a line per key or as one JSON object.
class CountWriter {
 public:
  explicit CountWriter(const CountCommand& command)
      : form_(command.form.form(command.reports)), formats_(command.formats) {
    if (form_ == AnswerForm::json) out_.write(R"({"schema":1,"answers":[)");
  }

  void write(std::string_view key, std::uint64_t count) {
    const std::string number = std::to_string(count);
    if (form_ == AnswerForm::text) {
      out_.write(formats_.text_of_key(key) + "\t" + number + "\n");
      return;
    }
    if (form_ == AnswerForm::null) {
      const std::string_view answer = number;
      write_null_answer(out_, formats_.text_of_key(key), count != 0 ? &answer : nullptr);
      return;
    }
    Json row;
    put_bytes(row, "key", formats_.text_of_key(key));
    row["answer"] = count;
    out_.write((keys_++ == 0 ? "" : ",") + row.dump());
  }

  void flush() { out_.flush(); }

  void finish() {
    if (form_ == AnswerForm::json) out_.write("],\"keys\":" + std::to_string(keys_) + "}\n");
    out_.flush();
  }

 private:
  AnswerForm form_;
  const FormatOptions& formats_;
  std::uint64_t keys_ = 0;
  Output out_;
};

int count(CountCommand& command) {
  if (command.inputs.empty()) command.inputs.emplace_back("-");
  const FilterInputs file({command.path}, command.inputs);
  const Filter filter = Filter::open(file.paths().front());
  if (!filter.counts()) {
    throw Error(
        ErrorKind::usage,
        command.path + ": this filter has no counters; build one with --type counting-bloom");
  }
  CountWriter out(command);
  stream_keys(command.inputs, command.formats.format(), false, "count", command.reports,
              [&](const KeyBlock& block, bool last_for_now) {
                for (const std::string_view key : block.keys) out.write(key, filter.count(key));
                if (last_for_now) out.flush();
              });
  out.finish();
  return 0;
}

int combine(const CombineCommand& command, bool unites) {
  const FilterInputs files(command.paths);
  const std::vector<std::filesystem::path> paths(files.paths().begin(), files.paths().end());
  const FilterCombination done = unites ? unite_filters(paths, command.output, command.replace)
                                        : intersect_filters(paths, command.output, command.replace);
  return report_published(done.warnings, command.reports.quiet, [&] {
    const auto& [united, common] = done.sizes;
    if (command.reports.json) {
      Json json = json_of_file(done.file);
      json["union"] = {{"keys", united.keys}, {"sigma", united.sigma}};
      if (common) json["intersection"] = {{"keys", common->keys}, {"sigma", common->sigma}};
      print_json(json);
    } else if (!command.reports.quiet) {
      std::cerr << escape(command.output) << ": "
                << format("about %.0f +- %.0f keys in the union", united.keys, united.sigma)
                << (common
                        ? format(", %.0f +- %.0f in the intersection", common->keys, common->sigma)
                        : "")
                << "; false positives: " << percent(done.file.fpr.value_or(0))
                << " of absent keys\n";
    }
  });
}

void add_edit(CLI::App& filter, Action& action, bool adds) {
  auto command = std::make_shared<EditCommand>();
  CLI::App* app =
      adds ? filter.add_subcommand(
                 "add",
                 "add keys to a filter file: all, or on an error none\n\n"
                 "A counting-bloom filter counts a key that it holds once more; a bloom filter "
                 "does not\nchange. Beyond its --capacity a warning gives the new false-positive "
                 "rate. If that would\nbe more than twice the --fpr of the build, nothing is added "
                 "and the exit code is 2,\nunless --overfill is given.\nExample: crivo build "
                 "filter urls.txt -o urls.crv --type bloom --capacity 2000000\n"
                 "         crivo filter add urls.crv new.txt")
           : filter.add_subcommand("remove",
                                   "remove keys from a filter file: all, or on an error none\n\n"
                                   "A key that is surely absent is an error. Remove only keys that "
                                   "were added: removing a\nfalse positive removes other "
                                   "keys.\nExample: crivo filter remove urls.crv gone.txt");
  app->add_option("FILTER", command->path, "the filter file, which is replaced atomically")
      ->required()
      ->transform(mapped_path());
  add_input_paths(*app, "KEYS", command->input.paths,
                  "files of keys, read as one; - or none is standard input");
  command->formats.add_to(*app);
  app->add_option("--duplicates", command->duplicates,
                  "what to do with equal keys: error or ignore")
      ->transform(one_of({"error", "ignore"}))
      ->capture_default_str();
  app->add_option("--threads", command->options.resources.threads, "threads; 0 is one per core")
      ->type_name("N")
      ->transform(count_value(0, 1024))
      ->capture_default_str();
  app->add_option("--temp-dir", command->temp_dir, "for temporary files; default $TMPDIR or /tmp")
      ->type_name("DIR");
  if (adds) {
    app->add_flag("--overfill", command->options.overfill,
                  "add keys even if the false-positive rate more than doubles");
  }
  command->reports.add_to(*app);
  app->callback(
      [command, adds, &action] { action = [command, adds] { return edit(*command, adds); }; });
}

void add_count(CLI::App& filter, Action& action) {
  auto command = std::make_shared<CountCommand>();
  CLI::App* app = filter.add_subcommand(
      "count",
      "show how often keys were added (counting-bloom)\n\n"
      "It writes a line key<TAB>count for each key. The count is exact, or too high if the "
      "key\nshares all of its counters with others. Counters end at 2^BITS - 1.\nExample: crivo "
      "filter count seen.crv urls.txt | sort -t$'\\t' -k2 -n");
  app->add_option("FILTER", command->path, "a filter file; - is standard input")->required();
  add_input_paths(*app, "KEYS", command->inputs, "files of keys; - or none is standard input");
  command->formats.add_to(*app);
  command->reports.add_to(*app);
  command->form.add_to(*app, "write key NUL, 1 and the count (or 0 alone: none), NUL");
  app->callback([command, &action] { action = [command] { return count(*command); }; });
}

void add_combine(CLI::App& filter, Action& action, bool unites) {
  auto command = std::make_shared<CombineCommand>();
  CLI::App* app =
      unites
          ? filter.add_subcommand(
                "union",
                "write the union of bloom filters\n\n"
                "It also estimates how many keys there are. The filters must have equal cells,\n"
                "hashes and seed: build them with the same --capacity and --fpr.\n"
                "Example: crivo filter union site-a.crv site-b.crv -o sites.crv")
          : filter.add_subcommand(
                "intersect",
                "write the intersection of bloom filters\n\n"
                "It also estimates how many keys there are. The filters must have equal cells,\n"
                "hashes and seed: build them with the same --capacity and --fpr. The result has\n"
                "more false positives than a filter built from the common keys alone.\n"
                "Example: crivo filter intersect site-a.crv site-b.crv -o both.crv");
  app->add_option("FILTER", command->paths, "filter files, two or more; - is standard input")
      ->required();
  app->add_option("-o,--output", command->output, "what to write")
      ->required()
      ->type_name("PATH")
      ->transform(output_path());
  add_force(*app, command->replace);
  command->reports.add_to(*app);
  app->callback([command, unites, &action] {
    action = [command, unites] { return combine(*command, unites); };
  });
}

}  // namespace

void add_filter_command(CLI::App& app, Action&) {
  CLI::App* filter =
      app.add_subcommand("filter",
                         "change, compare, combine and choose filters\n\n"
                         "crivo filter add --help, and so on, explains each command.\n"
                         "Example: crivo filter add seen.crv new.txt");
  filter->require_subcommand(1);
}

std::span<const Command> filter_commands() {
  static constexpr Command kCommands[] = {
      {"add", kOwnCommands,
       [](CLI::App& filter, Action& action) { add_edit(filter, action, true); }},
      {"remove", kOwnCommands,
       [](CLI::App& filter, Action& action) { add_edit(filter, action, false); }},
      {"count", kOwnCommands, add_count},
      {"union", kOwnCommands,
       [](CLI::App& filter, Action& action) { add_combine(filter, action, true); }},
      {"intersect", kOwnCommands,
       [](CLI::App& filter, Action& action) { add_combine(filter, action, false); }},
      {"diff", kOwnCommands, add_filter_diff},
      {"advise", kOwnCommands, add_filter_advise}};
  return kCommands;
}

}  // namespace crivo::cli
