// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "crivo/error.hpp"
#include "crivo/index.hpp"
#include "program/answers.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/first_found.hpp"
#include "program/open_mode.hpp"
#include "program/range_option.hpp"
#include "program/values.hpp"

namespace crivo::cli {
namespace {

struct DumpOptions {
  std::string path;
  OpenModeOption open;
  std::optional<std::string> from_id;
  RangeOption range;
  std::uint64_t limit = UINT64_MAX;
  bool null = false;
  bool json = false;
};

/// Writes keys and records so that a build reads them again.
class PairWriter {
 public:
  explicit PairWriter(const DumpOptions& options) : options_(options) {}

  /// A null record is that of a kind that has none.
  void write(std::string_view key, const std::string_view* record) {
    if (options_.json) {
      Json row;
      put_bytes(row, "key", key);
      if (record != nullptr) put_bytes(row, "record", *record);
      out_.write(row.dump() + "\n");
      return;
    }
    const std::string_view end = options_.null ? std::string_view("\0", 1) : "\n";
    if (record == nullptr) {
      if (key.find(end) != key.npos) refuse(key, "contains its terminator");
      out_.write(key);
      out_.write(end);
      return;
    }
    if (key.find_first_of(options_.null ? end : "\t\n") != key.npos ||
        record->find(end) != record->npos)
      refuse(key, "or its record contains its terminator");
    const std::string_view after_key = options_.null ? end : "\t";
    for (const std::string_view text : {key, after_key, *record, end}) out_.write(text);
  }

  void flush() { out_.flush(); }

 private:
  [[noreturn]] void refuse(std::string_view key, const char* problem) const {
    throw Error(
        ErrorKind::usage,
        options_.path + ": the key " + quote(key) + " " + problem +
            (options_.null ? "; use --json" : ", a TAB or LF; use --null-output, or --json"));
  }

  const DumpOptions& options_;
  Output out_;
};

int dump(const DumpOptions& options) {
  const auto index = OpenIndex::open(options.path, options.open.options());
  PairWriter out(options);
  using VisitRecord = std::function<void(std::string_view key, const std::string_view* record)>;
  first_found(
      options.limit,
      [&](std::string_view key, const std::string_view* record) { out.write(key, record); },
      [&](const VisitRecord& visit) {
        // A dictionary answers with ids, which a build does not read.
        const auto visit_answer = [&](std::string_view key, const Answer& answer) {
          const std::string_view& record = answer.is_number ? answer.value : answer.text;
          visit(key, answer.is_number && record.empty() ? nullptr : &record);
        };
        if (options.from_id) {
          index->query("from-id", {&*options.from_id, 1}, visit_answer);
        } else if (options.range.is_given()) {
          options.range.ask(*index, visit_answer);
        } else {
          index->for_each(visit);
        }
      });
  out.flush();
  return 0;
}

}  // namespace

void add_dump(CLI::App& app, Action& action) {
  auto options = std::make_shared<DumpOptions>();
  CLI::App* command = app.add_subcommand(
      "dump",
      "write keys and records of a store or a dictionary\n\n"
      "They are in build-input format, in the order of the keys (dictionary, ordered store) or in\n"
      "unspecified order. A build of what is written, with the store's own options, gives the "
      "same\n"
      "bytes, except for what was updated.\n"
      "Example: crivo dump pages > pages.tsv\n"
      "         crivo dump pages --prefix http://a. --limit 10\n"
      "         crivo dump pages --null-output | crivo build store - --null -o pages --force");
  command->add_option("PATH", options->path, "a store's directory, or a dictionary")
      ->required()
      ->transform(mapped_path());
  options->open.add_to(*command);
  CLI::Option* from_id =
      command
          ->add_option("--from-id", options->from_id, "begin with the key of this id (dictionary)")
          ->type_name("ID")
          ->transform(count_value());
  options->range.add_to(*command, "dictionary, ordered store");
  for (const char* name : {"--prefix", "--range", "--lower-bound"})
    from_id->excludes(option_named(*command, name));
  command->add_option("--limit", options->limit, "write so many keys at most")
      ->type_name("N")
      ->transform(count_value());
  command->add_flag(
      "--null-output", options->null,
      "write key NUL record NUL, not lines key<TAB>record: for records with line ends");
  command
      ->add_flag("--json", options->json,
                 "a JSON object a line; bytes that are not UTF-8 as key_hex, record_hex")
      ->excludes(option_named(*command, "--null-output"));
  command->callback([options, &action] { action = [options] { return dump(*options); }; });
}

}  // namespace crivo::cli
