// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "base/as_error.hpp"
#include "base/refuse_option.hpp"
#include "build/build_frame.hpp"
#include "build/choices.hpp"
#include "build/universe_input.hpp"
#include "crivo/build/foreign.hpp"
#include "file/mapped_file.hpp"
#include "file/pending_file.hpp"
#include "foreign/build/builds.hpp"
#include "foreign/build/clubcard_builder.hpp"
#include "foreign/build/issuer_keys.hpp"
#include "foreign/clubcard_file.hpp"
#include "foreign/clubcard_key.hpp"
#include "lookup/exact_file.hpp"

namespace crivo::foreign {
namespace {

/// Reads what ExactOptions::covers says of logs.
std::vector<ClubcardCoverage> coverage_of(const std::string& covers) {
  std::vector<ClubcardCoverage> all;
  for (const Coverage& each : exact::parse_covers(covers)) {
    const auto log = bytes_of_hex<kLogBytes>(each.name);
    if (!log)
      base::refuse_option("covers",
                          "'" + each.name + "' is not the 64 hexadecimal digits of a log");
    const bool repeated =
        std::ranges::any_of(all, [&](const ClubcardCoverage& other) { return other.log == *log; });
    if (repeated)
      base::refuse_option("covers", "a clubcard has one range of a log: '" + each.name + "'");
    all.push_back({*log, each.low, each.high});
  }
  if (all.size() > UINT16_MAX) base::refuse_option("covers", "a clubcard has 65,535 logs at most");
  return all;
}

/// Throws Error(usage) for what is asked for and a clubcard has no place for.
void refuse_others(const ExactOptions& exact) {
  if (!exact.grouped)
    base::refuse_option("grouped", "a clubcard needs the issuer of each certificate as its group");
  if (exact.fpr) base::refuse_option("fpr", "a clubcard has no such rate");
}

void require_universe(const KeyInput& input) {
  if (!input.universe)
    throw Error(ErrorKind::usage, "a clubcard needs the certificates that it is to answer for",
                {.remedy = "universe"});
  if (!input::regular_input_bytes(*input.universe))
    throw Error(ErrorKind::usage, "a clubcard's universe is read twice, and must be files",
                {.remedy = "universe"});
}

}  // namespace

BuildSummary build_clubcard(const KeyInput& input, const Output& output, const Choices& choices,
                            const BuildOptions& options) {
  const auto exact = index::options_of<ExactOptions>(choices);
  refuse_others(exact);
  require_universe(input);
  index::BuildFrame frame(options);
  const base::BuildContext context = frame.context();
  const ClubcardInput certificates{.members = input,
                                   .universe = *input.universe,
                                   .grouping = {exact.grouped, exact.group_delimiter},
                                   .coverage = coverage_of(exact.covers),
                                   .seed = options.seed,
                                   .ignore_duplicates = options.ignore_duplicates,
                                   .memory_bytes = frame.memory().budget().bytes};
  file::PendingFile file(frame.outputs().file(output, input));
  constexpr Progress::Phase kPhases[] = {{"read", 1},      {"universe", 8}, {"filter", 4},
                                         {"universe", 20}, {"build", 8},    {"write", 1}};
  context.progress.plan(kPhases);
  BuiltClubcard built = build_clubcard(certificates, context);
  frame.end_building();  // reading, too: the universe is read between the steps
  BuildSummary summary = frame.summary().so_far();
  summary.warnings = index::warn_of_missing(input, built.missing, exact.strict);
  file.write_at(0, built.bytes);
  summary.hash = "sha256";
  summary.format_version = "4";
  summary.keys = built.members;
  summary.bytes = built.bytes.size();
  summary.seed = options.seed;
  summary.duplicates = built.duplicates;
  summary.threads = frame.memory().threads();
  summary.rows = {{"universe", built.universe, "universe", std::to_string(built.universe), true}};
  file::add_warnings(summary.warnings, file.publish());
  frame.end(summary);
  return summary;
}

void write_clubcard_index(std::span<const std::filesystem::path> clubcards,
                          const std::filesystem::path& output, const BuildOptions& options) try {
  if (clubcards.size() > UINT16_MAX)
    throw Error(ErrorKind::usage, "an index of clubcards has 65,535 of them at most");
  std::vector<NamedClubcard> named;
  for (const std::filesystem::path& path : clubcards) {
    const std::string name = path.filename().string();
    if (!is_clubcard_name(name))
      throw Error(ErrorKind::usage, path.string() + ": an index of clubcards holds names of 1 to " +
                                        "32 letters, digits and - . _ alone");
    const file::MappedFile bytes(path, file::Loading::for_a_pass);
    std::error_code error;
    const std::filesystem::path in_place = output.parent_path() / name;
    if (!std::filesystem::equivalent(path, in_place, error))
      throw Error(ErrorKind::usage, path.string() + ": is not in the directory of " +
                                        output.string() + ", by which the index is read");
    named.push_back({name, ClubcardFile(bytes.bytes(), path.string()).coverage()});
  }
  index::BuildFrame frame(options);
  KeyInput inputs;
  for (const std::filesystem::path& path : clubcards) inputs.paths.push_back(path.string());
  file::PendingFile file(frame.outputs().file(output, inputs));
  file.write_at(0, encode_index(named));
  (void)file.publish();
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo::foreign
