// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "crivo/build/ship.hpp"
#include "crivo/open.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/password.hpp"
#include "program/progress_line.hpp"
#include "program/values.hpp"

namespace crivo::cli {
namespace {

struct SignCommand {
  std::string path;
  std::string secret_key;
  std::string password_file;
  std::string expires;
  SignOptions options;
  ReportOptions reports;
  Progress progress;
};

int sign_file(SignCommand& command) {
  command.options.secret_key = command.secret_key;
  command.options.password = [&command] {
    return command.password_file.empty() ? ask_for_password(command.secret_key)
                                         : password_of_file(command.password_file);
  };
  if (!command.expires.empty()) command.options.expires = parse_time(command.expires);
  command.options.resources.progress = &command.progress;
  SignSummary summary;
  {
    const ProgressLine line(command.progress, command.reports, {});
    summary = sign(command.path, command.options);
  }
  return report_published(summary.warnings, command.reports.quiet, [&] {
    if (command.reports.json) {
      print_json({{"schema", 1},
                  {"signature", summary.output.string()},
                  {"key_id", summary.key_id},
                  {"trusted_comment", summary.comment}});
    } else if (!command.reports.quiet) {
      print_line(summary.output.string() + ": by key " + summary.key_id + ": " + summary.comment);
    }
  });
}

}  // namespace

void add_sign(CLI::App& app, Action& action) {
  auto options = std::make_shared<SignCommand>();
  CLI::App* command =
      app.add_subcommand("sign",
                         "sign a file, so that readers know its maker\n\n"
                         "It checks every byte, and writes FILE.minisig, or DIR/index.crv.minisig "
                         "for a store.\nminisign can check it. minisign -G makes keys.\nExample: "
                         "crivo sign urls.crv --secret-key minisign.key --expires 2027-01-31");
  command
      ->add_option("FILE", options->path,
                   "an index file, a manifest, or the directory of a store of the backend flat")
      ->required()
      ->transform(mapped_path());
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
      ->add_option(
          "--sequence", options->options.sequence,
          "a number that grows with each file of this name; readers can refuse a lower one")
      ->type_name("N")
      ->transform(count_value())
      ->capture_default_str();
  command
      ->add_option("--expires", options->expires,
                   "a time of UTC, as 2026-12-07 or 2026-12-07T04:40Z, from which readers refuse "
                   "the file")
      ->type_name("TIME")
      ->transform(time_value());
  command->add_option("--threads", options->options.resources.threads, "threads; 0 is one per core")
      ->type_name("N")
      ->transform(count_value(0, 1024))
      ->capture_default_str();
  command->add_flag("-f,--force", options->options.replace, "replace an existing signature");
  options->reports.add_to(*command);
  command->callback([options, &action] { action = [options] { return sign_file(*options); }; });
}

}  // namespace crivo::cli
