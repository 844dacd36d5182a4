// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>

#include "crivo/error.hpp"
#include "crivo/filter.hpp"
#include "program/answers.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/filter_input.hpp"

namespace crivo::cli {
namespace {

struct DiffCommand {
  std::string keys;
  std::string filter;
  bool maybe = false;
  bool records = false;
  FormatOptions formats;
  ReportOptions reports;
};

/// How the keys fell, and how many of those held to be in the filter are false positives.
struct Outcome {
  std::uint64_t keys = 0;
  std::uint64_t held = 0;  ///< may be in the filter
  double fpr = 0;

  std::uint64_t lacking() const noexcept { return keys - held; }
  /// A key that the filter lacks is held with probability fpr: for each that was seen to be lacking
  /// there are fpr / (1 - fpr) others.
  double expected_errors() const noexcept {
    if (fpr >= 1) return static_cast<double>(held);
    return std::min(static_cast<double>(lacking()) * fpr / (1 - fpr), static_cast<double>(held));
  }
  double sigma() const noexcept {
    return fpr >= 1 ? 0 : std::sqrt(static_cast<double>(lacking()) * fpr) / (1 - fpr);
  }
};

/// Prints the units that are wanted, in the input's own framing, or as one JSON object.
class UnitWriter {
 public:
  explicit UnitWriter(const DiffCommand& command)
      : json_(command.reports.json),
        formats_(command.formats),
        terminator_(command.formats.fixed != 0 ? ""
                    : command.formats.null     ? std::string(1, '\0')
                                               : "\n") {
    if (json_) out_.write(R"({"schema":1,"printed":[)");
  }

  /// `record`: null where the units are keys.
  void write(std::string_view key, const std::string_view* record) {
    if (!json_) {
      out_.write(formats_.text_of_key(key));
      if (record != nullptr) {
        out_.write(formats_.null ? std::string_view("\0", 1) : std::string_view("\t"));
        out_.write(*record);
      }
      out_.write(terminator_);
      return;
    }
    Json row;
    put_bytes(row, "key", formats_.text_of_key(key));
    if (record != nullptr) put_bytes(row, "record", *record);
    out_.write((any_ ? "," : "") + row.dump());
    any_ = true;
  }

  void flush() { out_.flush(); }

  void finish(const Outcome& outcome) {
    if (json_) {
      const Json end{{"keys", outcome.keys},
                     {"maybe", outcome.held},
                     {"absent", outcome.lacking()},
                     {"fpr", outcome.fpr},
                     {"expected_false_positives", outcome.expected_errors()},
                     {"sigma", outcome.sigma()}};
      out_.write("]," + end.dump().substr(1) + "\n");
    }
    out_.flush();
  }

 private:
  bool json_;
  const FormatOptions& formats_;
  std::string terminator_;
  bool any_ = false;
  Output out_;
};

void print_for_people(const DiffCommand& command, const Outcome& outcome) {
  const std::uint64_t printed = command.maybe ? outcome.held : outcome.lacking();
  const std::string counted =
      std::to_string(printed) + " of " + std::to_string(outcome.keys) + " keys printed, which " +
      (command.maybe ? "may be in " : "are surely not in ") + escape(command.filter) + "; ";
  std::array<char, 160> errors{};
  std::snprintf(errors.data(), errors.size(),
                command.maybe
                    ? "about %.3g +- %.2g of them are not (false positives, at a rate of %.3g)\n"
                    : "of the others about %.3g +- %.2g are not either (false positives, at a rate "
                      "of %.3g)\n",
                outcome.expected_errors(), outcome.sigma(), outcome.fpr);
  std::cerr << counted + errors.data();
}

int diff(const DiffCommand& command) {
  const FilterInputs file({command.filter}, {command.keys});
  const Filter filter = Filter::open(file.paths().front());
  UnitWriter out(command);
  Outcome outcome;
  outcome.fpr = filter.fpr();
  stream_keys({command.keys}, command.formats.format(), command.records, "diff", command.reports,
              [&](const KeyBlock& block, bool last_for_now) {
                constexpr std::size_t kDiffBlock = 1024;
                std::array<bool, kDiffBlock> maybe{};
                const std::span<const std::string_view> keys(block.keys);
                for (std::size_t begin = 0; begin < keys.size(); begin += kDiffBlock) {
                  const auto part = keys.subspan(begin, std::min(kDiffBlock, keys.size() - begin));
                  filter.contains(part, std::span(maybe).first(part.size()));
                  for (std::size_t i = 0; i < part.size(); ++i) {
                    ++outcome.keys;
                    outcome.held += maybe[i] ? 1 : 0;
                    if (maybe[i] != command.maybe) continue;
                    out.write(part[i], block.records.empty() ? nullptr : &block.records[begin + i]);
                  }
                }
                if (last_for_now) out.flush();
              });
  out.finish(outcome);
  if (!command.reports.quiet && !command.reports.json) print_for_people(command, outcome);
  return 0;
}

}  // namespace

void add_filter_diff(CLI::App& filter, Action& action) {
  auto command = std::make_shared<DiffCommand>();
  CLI::App* app = filter.add_subcommand(
      "diff",
      "write the keys that are surely not in a filter\n\n"
      "With --maybe, those that may be in it. The order of the keys stays, and the number of "
      "false\n"
      "positives to expect is on standard error. The first example finds what a peer lacks, from\n"
      "the filter of its keys; the second prepares a join with a table on another machine.\n"
      "Example: crivo filter diff mine.txt peer.crv\n"
      "         crivo filter diff --maybe --records orders.tsv customers.crv");
  app->add_option("KEYS", command->keys, "a file of keys; - is standard input")->required();
  app->add_option("FILTER", command->filter, "a filter file of any type; - is standard input")
      ->required();
  app->add_flag("--maybe", command->maybe, "print the keys that the filter may hold");
  app->add_flag("--records", command->records,
                "KEYS are lines of key<TAB>record (or key NUL record NUL), printed whole");
  command->formats.add_to(*app);
  command->reports.add_to(*app);
  app->callback([command, &action] { action = [command] { return diff(*command); }; });
}

}  // namespace crivo::cli
