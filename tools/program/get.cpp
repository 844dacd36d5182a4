// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/error.hpp"
#include "crivo/index.hpp"
#include "program/answers.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/first_found.hpp"
#include "program/open_mode.hpp"
#include "program/option_groups.hpp"
#include "program/range_option.hpp"
#include "program/remote_index.hpp"
#include "program/trust_options.hpp"
#include "program/values.hpp"

namespace crivo::cli {
namespace {

struct GetOptions {
  std::string path;
  std::vector<std::string> keys;
  RangeOption range;
  std::uint64_t limit = UINT64_MAX;  ///< of the records of the range
  OpenModeOption open;
  TrustOptions trust;
  RemoteAccess remote;
  FormatOptions formats;
  ReportOptions reports;
  AnswerFormOption form;

  /// Whether the one KEY is a key and no list: its record is written as it is.
  bool is_single() const { return keys.size() == 1 && keys.front() != "-"; }
};

/// Writes the record of one key after another, and notes which are absent.
class RecordWriter {
 public:
  explicit RecordWriter(const GetOptions& options)
      : options_(options),
        form_(options.form.form(options.reports)),
        end_(options.is_single() ? "" : "\n") {}

  void write(std::string_view key, const Answer& answer) {
    const bool found = answer.found;
    records_ += found ? 1 : 0;
    if (!found && absent_keys_++ == 0) absent_ = quote(options_.formats.text_of_key(key));
    if (form_ == AnswerForm::json) {
      Json row = answer_row(options_.formats.text_of_key(key), found);
      if (found) {
        put_bytes(row, "record", answer.text);
      } else {
        row["record"] = nullptr;
      }
      out_.write(row.dump() + "\n");
    } else if (form_ == AnswerForm::null) {
      write_null_answer(out_, options_.formats.text_of_key(key), found ? &answer.text : nullptr);
    } else if (found) {
      out_.write(answer.text);
      out_.write(end_);
    }
  }

  void flush() { out_.flush(); }

  /// Returns the number of records that were found.
  std::uint64_t records() const noexcept { return records_; }

  /// Throws Error(mismatch) if a key was absent.
  void check_absent() const {
    if (absent_keys_ == 0) return;
    throw Error(ErrorKind::mismatch,
                options_.path + ": no record for " + absent_ +
                    (absent_keys_ > 1 ? " and " + std::to_string(absent_keys_ - 1) + " more" +
                                            (absent_keys_ > 2 ? " keys" : " key")
                                      : ""));
  }

 private:
  const GetOptions& options_;
  AnswerForm form_;
  std::string_view end_;  ///< of a record
  Output out_;
  std::string absent_;  ///< the first key without a record
  std::uint64_t absent_keys_ = 0;
  std::uint64_t records_ = 0;
};

/// Opened as what is asked for many keys at once.
std::shared_ptr<OpenIndex> open_store(const GetOptions& options) {
  auto index = open_if_url(options.path, options.open, options.trust, options.remote);
  if (index == nullptr)
    index = OpenIndex::open(options.path, options.trust.in(options.open.options()));
  if (index->has_records()) return index;
  throw Error(ErrorKind::usage, options.path + ": not a store (use crivo query)");
}

/// Writes the records of keys in a row.
void get_range(OpenIndex& store, GetOptions& options, RecordWriter& out) {
  options.range.change([&](const std::string& text) { return options.formats.key_of_text(text); });
  first_found(
      options.limit, [&](std::string_view key, const Answer& answer) { out.write(key, answer); },
      [&](const OpenIndex::Visit& visit) { options.range.ask(store, visit); });
  out.flush();
  if (out.records() == 0 && options.limit != 0)
    throw Error(ErrorKind::mismatch, options.path + ": no record for " + options.range.text());
}

int get(GetOptions& options) {
  if (options.keys.empty() == !options.range.is_given())
    throw Error(ErrorKind::usage, options.keys.empty()
                                      ? "KEY is required, or --prefix, --range or "
                                        "--lower-bound"
                                      : options.range.text() + " and KEY exclude each other");
  if (options.limit != UINT64_MAX && !options.range.is_given())
    throw Error(ErrorKind::usage, "--limit goes with --prefix, --range or --lower-bound");
  const auto store = open_store(options);
  RecordWriter out(options);
  if (options.range.is_given()) {
    get_range(*store, options, out);
    return 0;
  }
  Answerer answerer(*store,
                    [&](std::string_view key, const Answer& answer) { out.write(key, answer); });
  KeyFormat format = options.formats.format();
  format.allow_empty = true;  // an empty line is asked for like any
  try {
    for (const std::string& key : options.keys) {
      if (key != "-") {
        const std::string text = options.formats.key_of_text(key);
        const std::string_view asked = text;
        answerer.answer({&asked, 1});
        continue;
      }
      stream_keys({"-"}, format, false, "get", options.reports,
                  [&](const KeyBlock& block, bool last_for_now) {
                    answerer.answer(block.keys);
                    if (!last_for_now) return;
                    answerer.finish();
                    out.flush();
                  });
    }
  } catch (const Error&) {
    answerer.finish();  // the keys before the one that cannot be read are answered
    throw;
  }
  answerer.finish();
  out.flush();
  out.check_absent();
  return 0;
}

}  // namespace

void add_get(CLI::App& app, Action& action) {
  auto options = std::make_shared<GetOptions>();
  CLI::App* command = app.add_subcommand(
      "get",
      "write the records of keys, byte for byte\n\n"
      "The exit code is 1 if a key is absent. The record of one KEY is written as it is; of "
      "several\nkeys, or of a list (-), each record is followed by a LF. Records can hold LFs, so "
      "programs\nshould use one of these:\n  --null-output  key NUL, then 1 and the record, or 0 "
      "alone for an absent key, and NUL\n"
      "  --json         a line per key: {\"key\":...,\"found\":...,\"record\":...}; bytes that are "
      "not\n"
      "                 UTF-8 are under key_hex, record_hex\n"
      "Example: crivo get pages http://a.example/ > page.json\n"
      "         crivo get pages - --json < wanted.txt\n"
      "         crivo get pages --prefix http://a.example/ --json");
  command->add_option("DIR", options->path, "a store's directory, or its URL")
      ->required()
      ->transform(mapped_path_or_url());
  command->add_option("KEY", options->keys, "keys; - reads a list of keys from standard input");
  options->range.add_to(*command, "ordered store");
  command->add_option("--limit", options->limit, "write at most N of these records")
      ->type_name("N")
      ->transform(count_value());
  options->open.add_to(*command);
  options->trust.add_to(*command);
  options->remote.add_to(*command);
  options->formats.add_to(*command);
  command->remove_option(option_named(*command, "--allow-empty"));  // any key may be asked for
  option_named(*command, "--null")
      ->description("NUL ends each key of a list, not LF")
      ->group(kListed);
  options->reports.add_to(*command);
  option_named(*command, "--json")
      ->description("a JSON object a line for each key")
      ->group(kListed);
  options->form.add_to(*command, "write key NUL, 1 and the record (or 0 alone: absent), NUL");
  command->callback([options, &action] { action = [options] { return get(*options); }; });
}

}  // namespace crivo::cli
