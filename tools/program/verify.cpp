// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <limits>
#include <memory>

#include "crivo/build/reproduce.hpp"
#include "crivo/error.hpp"
#include "crivo/foreign.hpp"
#include "crivo/inspect.hpp"
#include "crivo/rows.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/group_option.hpp"
#include "program/input_paths.hpp"
#include "program/progress_line.hpp"
#include "program/remote_index.hpp"
#include "program/rows_query.hpp"
#include "program/trust_options.hpp"
#include "program/values.hpp"

namespace crivo::cli {
namespace {

struct VerifyOptions {
  std::string path;
  KeyInput input;
  FormatOptions formats;
  std::vector<std::string> universe;
  GroupOption group;
  std::string group_delimiter;
  bool values = false;
  bool tables = false;  ///< of an index of rows, too
  RowFileOptions row_files;
  unsigned threads = 0;
  std::uint64_t memory = 0;
  std::string temp_dir;
  TrustOptions trust;
  RemoteAccess remote;
  ReportOptions reports;
};

/// Adds a signature that was checked.
void add_signature(const Signature& signature, Json& json) {
  json["key_id"] = signature.key_id;
  json["trusted_comment"] = signature.comment;
  json["sequence"] = signature.sequence;
  if (signature.expires) json["expires"] = time_text(*signature.expires);
}

/// Checks what a server has: all that is not read here is left out.
std::optional<Signature> verify_url(const VerifyOptions& options, Progress& progress) {
  if (!options.input.paths.empty() || options.tables)
    throw Error(ErrorKind::usage, "--keys and --tables need a file, not a URL");
  const ProgressLine line(progress, options.reports, {});
  const UrlIndex opened = open_url(options.path, options.trust, options.remote);
  opened.index->verify({.threads = options.threads, .progress = &progress});
  return opened.signature;
}

int verify_file(VerifyOptions& options) {
  Progress progress;
  const bool is_remote = is_url(options.path);
  if (!is_remote) options.remote.require_url(options.path);
  const foreign::FormatInfo* const format = is_remote ? nullptr : foreign::format_of(options.path);
  if (format != nullptr && !options.input.paths.empty())
    throw Error(ErrorKind::usage, options.path +
                                      ": is in a format of others, of which --keys are "
                                      "not checked; ask for them with crivo query");
  std::optional<std::uint64_t> keys;
  std::optional<Signature> signature;
  if (is_remote) {
    signature = verify_url(options, progress);
  } else {
    const std::optional<Trust> trust = options.trust.trust();
    const ProgressLine line(progress, options.reports, options.input.paths);
    if (trust) {
      signature =
          verify_signed(options.path, *trust, {.threads = options.threads, .progress = &progress});
    } else if (format != nullptr) {
      (void)foreign::open(options.path);
    } else if (options.input.paths.empty()) {
      verify(options.path, {.threads = options.threads, .progress = &progress});
    } else {
      options.group.put_in(options.input, options.formats);
      if (!options.universe.empty()) {
        options.input.universe =
            std::make_shared<const KeyInput>(KeyInput{options.universe, options.input.format});
      }
      keys = verify_keys(options.path, options.input,
                         {.values = options.values,
                          .group_delimiter = options.group_delimiter,
                          .resources = {.threads = options.threads,
                                        .memory = options.memory,
                                        .temp_dir = options.temp_dir,
                                        .progress = &progress}});
    }
  }
  if (options.tables) {
    const Rows rows = Rows::open(options.path);
    RowFileNames(rows, options.row_files).check_all();
  }
  if (options.reports.json) {
    Json json{{"schema", 1}, {"valid", true}};
    if (format != nullptr) json["limits"] = format->limits;
    if (keys) json["keys_checked"] = *keys;
    if (signature) add_signature(*signature, json);
    print_json(json);
  } else if (!options.reports.quiet) {
    print_line(
        options.path +
        (format != nullptr ? ": is well formed. " + std::string(format->limits)
         : is_remote       ? ": every byte is as its hash tree says"
                           : ": every checksum holds") +
        (keys ? ", and each of " + counted(*keys, "key") + " has the right answer" : "") +
        (signature ? ", and key " + signature->key_id + " signed: " + signature->comment : ""));
  }
  return 0;
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = app.add_subcommand(
      "verify",
      "check every byte; with --keys, every answer too\n\n"
      "With --public-key the signature comes first: FILE.minisig, or DIR/index.crv.minisig of "
      "a\nstore, by crivo sign or minisign -S. A chain has its own, or one for its base and each "
      "delta.\nThe exit code is 4 if the file is damaged or not signed as it should be,\n"
      "1 if an answer is wrong.\n"
      "Example: crivo verify urls.crv --keys urls.txt");
  command->add_option("PATH", options->path, "an index file, a store's directory, or a URL of one")
      ->required()
      ->transform(mapped_path_or_url());
  command->add_option(
      "--keys", options->input.paths,
      "the files (of records, for a store) that PATH was built from; - is standard input");
  add_files_from(*command, options->input.paths);
  command
      ->add_option(
          "--universe", options->universe,
          "with --keys, exact: the universe; no key of it but those of --keys may be a \"member\"")
      ->needs(option_named(*command, "--keys"))
      ->type_name("FILE");
  options->group.add_to(*command);
  options->group.add_by_file(*command);
  command
      ->add_option("--group-delimiter", options->group_delimiter,
                   "of an exact set: each key begins with the name of its group, up to the first "
                   "of this character")
      ->type_name("C");
  command->add_flag("--values", options->values,
                    "the files have key<TAB>value lines, from which a map or a dictionary was "
                    "built");
  options->formats.add_to(*command);
  command->add_flag("--tables", options->tables,
                    "rows: check that each file is as it was when it was indexed (build rows "
                    "--check-files)");
  options->row_files.add_rename(*command);
  command->add_option("--threads", options->threads, "threads; 0 is one per core")
      ->type_name("N")
      ->transform(count_value(0, 1024))
      ->capture_default_str();
  command
      ->add_option("--memory", options->memory,
                   "memory budget of --keys, such as 2G or 512M, kept within 64M; default: three "
                   "quarters of what is free")
      ->type_name("SIZE")
      ->transform(size_value(1, std::numeric_limits<std::uint64_t>::max() / 4));
  command->add_option("--temp-dir", options->temp_dir,
                      "for temporary files; default $TMPDIR or /tmp");
  options->trust.add_to(*command);
  options->remote.add_to(*command);
  option_named(*command, "--public-key")->excludes(option_named(*command, "--keys"));
  options->reports.add_to(*command);
  command->callback([options, &action] { action = [options] { return verify_file(*options); }; });
}

}  // namespace crivo::cli
