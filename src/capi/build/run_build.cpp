// SPDX-License-Identifier: Apache-2.0
#include "capi/build/run_build.hpp"

#include <map>
#include <string>
#include <string_view>

#include "capi/call.hpp"
#include "crivo/build/kinds.hpp"

namespace crivo::capi {
namespace {

/// The warnings of a thread's last build. They have a fixed size, so that a thread has nothing to
/// destroy.
constinit thread_local char last_warnings[4096] = {};

crivo_summary summary_of(const BuildSummary& built) {
  crivo_summary summary{};
  summary.keys = built.keys;
  summary.duplicates = built.duplicates;
  summary.bytes = built.bytes;
  summary.seed = built.seed;
  summary.fpr = built.fpr.value_or(-1);
  summary.measured_fpr = built.measured_fpr.value_or(-1);
  summary.seconds = built.total_seconds;
  summary.temp_bytes = built.temp_bytes;
  summary.threads = built.threads;
  summary.value_bits = built.value_bits;
  copy_text(built.digest, summary.digest);
  return summary;
}

/// Texts NAME=VALUE up to NULL; `what` is said of one.
std::map<std::string, std::string, std::less<>> named_values(const char* const* given,
                                                             const std::string& what) {
  std::map<std::string, std::string, std::less<>> values;
  for (; given != nullptr && *given != nullptr; ++given) {
    const std::string_view text = *given;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos)
      throw Error(ErrorKind::usage,
                  "the " + what + " '" + std::string(text) + "' is not NAME=VALUE");
    const std::string name(text.substr(0, equals));
    if (!values.emplace(name, text.substr(equals + 1)).second)
      throw Error(ErrorKind::usage,
                  std::string("the ").append(what) + " " + name + " is given twice");
  }
  return values;
}

}  // namespace

void tell_warnings(const std::vector<Warning>& warnings) {
  std::string lines;
  for (const Warning& warning : warnings) lines += (lines.empty() ? "" : "\n") + warning.text;
  copy_text(lines, last_warnings);
}

void build_and_tell(const crivo_build_options* given, crivo_summary* summary,
                    const std::function<BuildSummary(const BuildOptions&)>& build) {
  tell_warnings({});
  if (summary != nullptr) check_struct_size(summary->struct_size);
  BuildSummary built;
  with_build_options(given, [&](const BuildOptions& options) { built = build(options); });
  if (summary != nullptr) give(summary_of(built), summary);
  tell_warnings(built.warnings);
}

Choices choices_of(const char* const* given) {
  return named_values(given, "choice");
}

RepeatedRecords repeated_records(const char* given) {
  return repeated_records_named(text_or(given, "first"));
}

ValueForm value_form(const char* given, unsigned scale) {
  return {value_type_named(text_or(given, "unsigned")), scale};
}

void with_build_options(const crivo_build_options* given,
                        const std::function<void(const BuildOptions&)>& work) {
  const crivo_build_options from = taken(given);
  BuildOptions options{.seed = from.seed,
                       .keyed_hash = from.keyed_hash != 0,
                       .ignore_duplicates = from.ignore_duplicates != 0,
                       .replace = from.replace != 0,
                       .notes = named_values(from.notes, "note")};
  with_resources(from.resources, [&](const Resources& resources) {
    options.resources = resources;
    work(options);
  });
}

}  // namespace crivo::capi

const char* crivo_warnings(void) {
  return crivo::capi::last_warnings;
}
