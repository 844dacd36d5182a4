// SPDX-License-Identifier: Apache-2.0
/// A build's summary while the build runs, and the clock of its phases.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/build/build.hpp"
#include "file/container.hpp"

namespace crivo::index {

/// The counts of an input that was read.
struct InputRead {
  std::uint64_t keys = 0;           ///< distinct ones
  std::uint64_t collected = 0;      ///< repeats included
  std::uint64_t seed = 0;           ///< of the hashes
  std::uint64_t temp_bytes = 0;     ///< temporary disk used
  std::uint64_t resumed_bytes = 0;  ///< input::KeySet
  std::vector<Warning> warnings{};
};

/// Takes down what each phase found and took. A phase begins where the one before ended.
class SummaryDraft {
 public:
  /// `options` outlive this.
  explicit SummaryDraft(const BuildOptions& options) noexcept : options_(options) {}

  /// Ends the phase of reading. `input` is the input's name, for the warning that it has no keys;
  /// empty: a shard may well have none. Throws Error(mismatch) if another number is expected.
  void end_reading(InputRead read, const std::string& input);
  /// Ends the reading of parts that have so many keys in all. Throws the same.
  void end_reading_parts(std::uint64_t keys);
  /// Ends the phase of building.
  void end_building() noexcept { summary_.build_seconds = lap(); }
  /// Ends the phase of writing, in a finished summary.
  void end_writing(BuildSummary& finished) noexcept;

  /// Adds what building found beside.
  void add(std::uint64_t temp_bytes, std::vector<Warning> warnings);
  /// Counts what was read of the place of a build that goes on.
  std::uint64_t& resumed_bytes() noexcept { return summary_.resumed_bytes; }
  /// Adds the warning that what is called `name` has no keys, if it has none and that is not meant.
  void warn_of_no_keys(const std::string& name, std::uint64_t keys,
                       std::vector<Warning>& warnings) const;

  /// Whether BuildOptions::expected is set.
  bool expects() const noexcept { return options_.expected.has_value(); }
  /// Throws Error(mismatch) if another build id is expected.
  void require_build(const file::ContentId& build_id) const;

  /// What was taken down so far: of a file in a format of others, which has no header.
  BuildSummary so_far() const { return summary_; }
  /// The summary, but what the frame knows and what end_writing() adds. Throws what
  /// require_build() does.
  BuildSummary finish(const file::Header& header, std::string_view algorithm,
                      const file::ContainerWriter::Written& written) const;

 private:
  using Clock = std::chrono::steady_clock;

  /// Throws Error(mismatch) if another number of keys is expected.
  void require_keys(std::uint64_t keys) const;
  /// The seconds since the last call, or since this was made.
  double lap() noexcept;

  const BuildOptions& options_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_ = begin_;
  BuildSummary summary_;
};

}  // namespace crivo::index
