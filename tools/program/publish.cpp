// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "crivo/build/ship.hpp"
#include "crivo/open.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/password.hpp"
#include "program/values.hpp"

namespace crivo::cli {
namespace {

struct PublishCommand {
  std::vector<std::string> paths;
  std::string output;
  std::string secret_key;
  std::string password_file;
  std::string expires;
  std::uint64_t sequence = 0;  ///< 0: the next one
  PublishOptions options;
  ReportOptions reports;
};

int publish_files(PublishCommand& command) {
  PublishOptions& options = command.options;
  options.secret_key = command.secret_key;
  options.password = [&command] {
    return command.password_file.empty() ? ask_for_password(command.secret_key)
                                         : password_of_file(command.password_file);
  };
  if (command.sequence != 0) options.sequence = command.sequence;
  if (!command.expires.empty()) options.expires = parse_time(command.expires);
  const PublishSummary summary =
      publish({command.paths.begin(), command.paths.end()}, command.output, options);
  return report_published(summary.warnings, command.reports.quiet, [&] {
    if (command.reports.json) {
      print_json({{"schema", 1},
                  {"signature", summary.signature.string()},
                  {"key_id", summary.key_id},
                  {"trusted_comment", summary.comment},
                  {"sequence", summary.sequence},
                  {"files", summary.files},
                  {"added", summary.added}});
    } else if (!command.reports.quiet) {
      print_line(summary.signature.string() + ": by key " + summary.key_id + ": " +
                 summary.comment + "; " + counted(summary.files, "file") + ", " +
                 std::to_string(summary.added) + " of them new");
    }
  });
}

}  // namespace

void add_publish(CLI::App& app, Action& action) {
  auto options = std::make_shared<PublishCommand>();
  CLI::App* command = app.add_subcommand(
      "publish",
      "sign files as a set that web servers can serve\n\n"
      "It verifies files, copies new ones to DIR, and signs the list of all last, so that "
      "crivo\nfetch gets the old set or the new one. The old set is removed when the next but one "
      "comes.\nExample: crivo publish urls.crv urls.crv.minisig -o site --secret-key minisign.key");
  command
      ->add_option("PATHS", options->paths,
                   "files and directories, such as an index file with its signature, a chain with "
                   "its base and deltas, or a store")
      ->required()
      ->transform(mapped_path());
  command->add_option("-o,--output", options->output, "the directory; created if it does not exist")
      ->required()
      ->type_name("DIR")
      ->transform(output_path());
  command->add_option("--secret-key", options->secret_key, "the file of a secret key of minisign")
      ->required()
      ->type_name("FILE")
      ->transform(mapped_path());
  command
      ->add_option("--password-file", options->password_file,
                   "its first line is the key's password; default: ask on the terminal")
      ->type_name("FILE")
      ->transform(mapped_path());
  command
      ->add_option("--sequence", options->sequence,
                   "a number above that of the last set; default: the next one")
      ->type_name("N")
      ->transform(count_value(1));
  command
      ->add_option("--expires", options->expires,
                   "a time of UTC, as 2026-12-07 or 2026-12-07T04:40Z, from which readers refuse "
                   "the set")
      ->type_name("TIME")
      ->transform(time_value());
  options->reports.add_to(*command);
  command->callback([options, &action] { action = [options] { return publish_files(*options); }; });
}

}  // namespace crivo::cli
