// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>
#include <memory>

#include "crivo/build/kinds.hpp"
#include "crivo/error.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/values.hpp"

namespace crivo::cli {
namespace {

struct AdviseOptions {
  FilterNeeds needs;
  ReportOptions reports;
};

/// Returns the names of what can be done with a built filter.
std::vector<std::string> abilities(const FilterCandidate& candidate) {
  std::vector<std::string> can;
  if (candidate.adds) can.emplace_back("add");
  if (candidate.removes) can.emplace_back("remove");
  if (candidate.counts) can.emplace_back("count");
  if (candidate.unites) can.emplace_back("union");
  return can;
}

/// The options of `crivo build filter` that build a candidate: "--type bloom --fpr 0.01".
std::string to_arguments(const FilterOptions& options) {
  std::string text = "--type " + options.type;
  if (options.semi_sorted) text += " --semi-sorted";
  if (options.arity != FilterOptions{}.arity) text += " --arity " + std::to_string(options.arity);
  if (options.fpr) {
    std::array<char, 32> rate{};
    std::snprintf(rate.data(), rate.size(), " --fpr %.6g", *options.fpr);
    text += rate.data();
  }
  return text;
}

/// The command that builds what was chosen.
std::string command_of(const FilterNeeds& needs, const FilterOptions& options) {
  std::string command = "crivo build filter KEYS -o FILE " + to_arguments(options);
  if (needs.is_mutable || needs.unites) command += " --capacity " + std::to_string(needs.keys);
  return command;
}

Json to_json(const FilterNeeds& needs, const FilterAdvice& advice) {
  Json json{{"schema", 1},
            {"keys", needs.keys},
            {"fpr", needs.fpr},
            {"mutable", needs.is_mutable},
            {"union", needs.unites}};
  json["candidates"] = Json::array();
  for (const FilterCandidate& candidate : advice.candidates) {
    Json row{{"type", candidate.options.type}, {"arguments", to_arguments(candidate.options)}};
    if (candidate.fpr != 0) {
      row["bits_per_key"] = candidate.bits_per_key;
      row["bytes"] = candidate.bytes;
      row["fpr"] = candidate.fpr;
    }
    row["lookup_cost"] = candidate.lookup_cost;
    row["build_cost"] = candidate.build_cost;
    row["can"] = Json::array();
    for (const std::string& ability : abilities(candidate)) row["can"].push_back(ability);
    if (!candidate.problem.empty()) row["problem"] = candidate.problem;
    json["candidates"].push_back(row);
  }
  if (advice.choice) {
    const FilterOptions& choice = advice.candidates[*advice.choice].options;
    json["type"] = choice.type;
    json["command"] = command_of(needs, choice);
  }
  if (advice.exact_bytes != 0) {
    json["exact"] = {{"bits_per_key", advice.exact_bits_per_key},
                     {"bytes", advice.exact_bytes},
                     {"smaller", advice.exact_is_smaller}};
  }
  json["reason"] = advice.reason;
  return json;
}

void print_for_people(const FilterNeeds& needs, const FilterAdvice& advice) {
  Output out;
  const auto row = [&](const std::string& type, const std::string& bits, const std::string& size,
                       const std::string& rate, const std::string& lookup, const std::string& build,
                       const std::string& notes) {
    std::array<char, 120> line{};
    std::snprintf(line.data(), line.size(), "%-21s %9s %10s %9s %7s %7s  ", type.c_str(),
                  bits.c_str(), size.c_str(), rate.c_str(), lookup.c_str(), build.c_str());
    out.write(line.data() + notes + "\n");
  };
  const auto number = [](const char* format, double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return std::string(text.data());
  };
  row("type", "bits/key", "size", "rate", "lookup", "build", "can");
  for (const FilterCandidate& candidate : advice.candidates) {
    std::string notes;
    for (const std::string& can : abilities(candidate)) notes += (notes.empty() ? "" : ", ") + can;
    if (!candidate.problem.empty()) {
      notes += (notes.empty() ? "- " : "; - ") + candidate.problem;
    }
    const bool sized = candidate.fpr != 0;
    row(candidate.name, sized ? number("%.2f", candidate.bits_per_key) : "",
        sized ? human_bytes(static_cast<double>(candidate.bytes)) : "",
        sized ? number("%.3g", candidate.fpr) : "", number("%.2f", candidate.lookup_cost),
        number("%.2f", candidate.build_cost), notes);
  }
  if (advice.exact_bytes != 0) {
    row("exact set", number("%.2f", advice.exact_bits_per_key),
        human_bytes(static_cast<double>(advice.exact_bytes)), "0", "", "",
        "deltas; no errors in the universe");
  }
  out.write("(lookup and build: CPU time, as a multiple of ribbon's at 10^7 keys)\n");
  if (advice.choice) {
    out.write("\n" + advice.reason + ".\n" +
              command_of(needs, advice.candidates[*advice.choice].options) + "\n");
    if (advice.exact_is_smaller)
      out.write("crivo build exact --members KEYS --universe FILE -o FILE\n");
  }
  out.flush();
}

}  // namespace

void add_filter_advise(CLI::App& filter, Action& action) {
  auto options = std::make_shared<AdviseOptions>();
  CLI::App* command =
      filter.add_subcommand("advise",
                            "choose a filter type, and show what each costs\n\n"
                            "The exit code is 2 if no type meets the needs.\n"
                            "Example: crivo filter advise -n 10000000 --fpr 0.001 --mutable\n"
                            "         crivo filter advise -n 1M --fpr 0.001 --universe 50M");
  command->add_option("-n,--keys", options->needs.keys, "the largest number of keys")
      ->required()
      ->type_name("N")
      ->transform(count_value());
  command->add_option("--fpr", options->needs.fpr, "the highest false-positive rate to allow")
      ->type_name("P")
      ->transform(rate_value())
      ->default_str("1/256");
  command->add_flag("--mutable", options->needs.is_mutable,
                    "keys will be added and removed after the build");
  command->add_flag("--union", options->needs.unites,
                    "it will be united or intersected with other filters");
  command
      ->add_option("--universe", options->needs.universe,
                   "the number of keys that will be asked, where these are known: says what an "
                   "exact set takes")
      ->type_name("N")
      ->transform(count_value());
  options->reports.add_to(*command);
  command->callback([options, &action] {
    action = [options] {
      const FilterAdvice advice = advise_filter(options->needs);
      if (options->reports.json) {
        print_json(to_json(options->needs, advice));
      } else {
        print_for_people(options->needs, advice);
      }
      if (!advice.choice) throw Error(ErrorKind::usage, advice.reason);
      return 0;
    };
  });
}

}  // namespace crivo::cli
