/// What every build does around its structure: options, clock, summary.
#pragma once

#include <chrono>
#include <filesystem>

#include "crivo/build.hpp"
#include "file/container.hpp"
#include "keys/hash_keys.hpp"
#include "util/progress.hpp"

namespace crivo::api {

/// The options with their defaults resolved, and the clock of the phases.
class BuildFrame {
 public:
  explicit BuildFrame(const BuildOptions& options, keys::HashFamily hash = hash_key);

  util::BuildContext context() noexcept { return {threads_, progress_}; }
  keys::HashOptions hash_options() const;
  file::IfExists if_exists() const noexcept {
    return options_.replace ? file::IfExists::replace : file::IfExists::refuse;
  }
  const std::filesystem::path& temp_dir() const noexcept { return temp_dir_; }

  /// Ends the phase of reading, and that of building.
  void note_read(const keys::HashedKeys& hashed);
  void note_built() { summary_.build_seconds = lap(); }
  /// Ends the phase of writing; the summary, with all that is common to every build.
  BuildSummary finish(const file::Header& header, std::string_view algorithm,
                      const file::ContainerWriter::Written& written);

 private:
  using Clock = std::chrono::steady_clock;

  /// The seconds since the last call, or since the frame was made.
  double lap();

  const BuildOptions& options_;
  keys::HashFamily hash_;
  unsigned threads_;
  std::filesystem::path temp_dir_;
  Progress own_progress_;
  Progress& progress_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_ = begin_;
  BuildSummary summary_;
};

}  // namespace crivo::api
