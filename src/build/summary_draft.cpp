// SPDX-License-Identifier: Apache-2.0
#include "build/summary_draft.hpp"

#include <utility>

namespace crivo::index {

double SummaryDraft::lap() noexcept {
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double> seconds = now - std::exchange(last_, now);
  return seconds.count();
}

void SummaryDraft::require_keys(std::uint64_t keys) const {
  const std::optional<ExpectedBuild>& expected = options_.expected;
  if (!expected || keys == expected->keys) return;
  throw Error(ErrorKind::mismatch, "other keys: the input has " + std::to_string(keys) +
                                       " distinct keys, not " + std::to_string(expected->keys));
}

void SummaryDraft::require_build(const file::ContentId& build_id) const {
  const std::optional<ExpectedBuild>& expected = options_.expected;
  if (!expected) return;
  const std::string own = file::to_hex(build_id);
  if (own == expected->build_id) return;
  throw Error(ErrorKind::mismatch, "other keys: the input has as many, but their build id is " +
                                       own + ", not " + expected->build_id);
}

void SummaryDraft::warn_of_no_keys(const std::string& name, std::uint64_t keys,
                                   std::vector<Warning>& warnings) const {
  if (keys == 0 && !options_.allow_empty_set)
    warnings.push_back({name + ": the input has no keys", "allow_empty_set"});
}

void SummaryDraft::end_reading(InputRead read, const std::string& input) {
  end_reading_parts(read.keys);
  summary_.duplicates = read.collected - read.keys;
  summary_.temp_bytes = read.temp_bytes;
  summary_.resumed_bytes = read.resumed_bytes;
  summary_.warnings = std::move(read.warnings);
  if (!input.empty()) warn_of_no_keys(input, read.collected, summary_.warnings);
}

void SummaryDraft::end_reading_parts(std::uint64_t keys) {
  require_keys(keys);
  summary_.read_seconds = lap();
  summary_.keys = keys;
}

void SummaryDraft::add(std::uint64_t temp_bytes, std::vector<Warning> warnings) {
  summary_.temp_bytes += temp_bytes;
  file::add_warnings(summary_.warnings, std::move(warnings));
}

BuildSummary SummaryDraft::finish(const file::Header& header, std::string_view algorithm,
                                  const file::ContainerWriter::Written& written) const {
  require_build(header.build_id);
  BuildSummary summary = summary_;
  summary.kind = file::kind_name(header.kind);
  summary.algorithm = algorithm;
  summary.bytes = written.bytes;
  summary.seed = header.seed;
  summary.format_version = file::version_text(file::kMajorVersion, file::kMinorVersion);
  summary.digest = file::to_hex(written.digest);
  return summary;
}

void SummaryDraft::end_writing(BuildSummary& finished) noexcept {
  finished.write_seconds = lap();
  finished.total_seconds = std::chrono::duration<double>(last_ - begin_).count();
}

}  // namespace crivo::index
