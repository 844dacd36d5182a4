// SPDX-License-Identifier: Apache-2.0
#include "capi/build/run_build.hpp"

#include <string>

#include "capi/build/options.hpp"

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

}  // namespace crivo::capi

const char* crivo_warnings(void) {
  return crivo::capi::last_warnings;
}
