// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "crivo/build/ship.hpp"
#include "crivo/error.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/remote_index.hpp"
#include "program/trust_options.hpp"
#include "program/values.hpp"
#ifdef CRIVO_HTTP
#include "http/http_site.hpp"
#endif

namespace crivo::cli {
namespace {

struct FetchCommand {
  std::string from;
  std::string output;
  TrustOptions trust;
  Patience patience;
  ReportOptions reports;
};

FetchSummary fetch_from(const FetchCommand& command, const Trust& trust) {
  if (!is_url(command.from)) return fetch(*Site::of_directory(command.from), command.output, trust);
#ifdef CRIVO_HTTP
  http::Client client({.patience = std::chrono::seconds(command.patience.timeout),
                       .retries = command.patience.retries});
  return fetch(*http::site_of(client, command.from), command.output, trust);
#else
  refuse_url(command.from);
#endif
}

int fetch_set(FetchCommand& command) {
  const auto trust = command.trust.trust();
  if (!trust) throw Error(ErrorKind::usage, "name the --public-key of who publishes the files");
  const FetchSummary summary = fetch_from(command, *trust);
  return report_published(summary.warnings, command.reports.quiet, [&] {
    if (command.reports.json) {
      Json json{{"schema", 1},
                {"new", summary.is_new},
                {"current", summary.current.string()},
                {"key_id", summary.key_id},
                {"sequence", summary.sequence},
                {"files", summary.files},
                {"fetched", summary.fetched},
                {"fetched_bytes", summary.fetched_bytes}};
      if (summary.expires) json["expires"] = time_text(*summary.expires);
      print_json(json);
    } else if (!command.reports.quiet) {
      print_line(summary.current.string() + ": sequence " + std::to_string(summary.sequence) +
                 (summary.is_new ? ", fetched " + std::to_string(summary.fetched) + " of " +
                                       counted(summary.files, "file") + ", " +
                                       human_bytes(static_cast<double>(summary.fetched_bytes))
                                 : ", nothing newer"));
    }
  });
}

}  // namespace

void add_fetch(CLI::App& app, Action& action) {
  auto options = std::make_shared<FetchCommand>();
  CLI::App* command = app.add_subcommand(
      "fetch",
      "bring a published set of files here\n\n"
      "The set was made by crivo publish. When every byte of a newer set has been checked, "
      "the\nlink DIR/current is replaced; programs that have the old set open keep it. Sets that "
      "are\nolder, expired or signed by another key are refused.\nExample: crivo fetch "
      "https://a.example/urls -o urls --public-key ship.pub\n"
      "         crivo query urls/current/urls.crv wanted.txt");
  command
      ->add_option("DIR-URL", options->from,
                   "the URL of a published directory, or a local directory")
      ->required()
      ->transform(mapped_path_or_url());
  command->add_option("-o,--output", options->output, "the directory; created if it does not exist")
      ->required()
      ->type_name("DIR")
      ->transform(output_path());
  options->trust.add_to(*command);
  options->patience.add_to(*command);
  options->reports.add_to(*command);
  command->callback([options, &action] { action = [options] { return fetch_set(*options); }; });
}

}  // namespace crivo::cli
