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
  explicit BuildFrame(const BuildOptions& options);

  util::BuildContext context() noexcept { return {threads_, progress_}; }
  keys::HashOptions hash_options() const;
  file::IfExists if_exists() const noexcept {
    return options_.replace ? file::IfExists::replace : file::IfExists::refuse;
  }
  const std::filesystem::path& temp_dir() const noexcept { return temp_dir_; }

  /// The seconds since the last call, or since the frame was made.
  double lap();
  /// The summary with what is common to all builds; the last lap is the writing.
  BuildSummary summary(file::Kind kind, std::string_view algorithm, std::uint64_t keys,
                       const file::ContainerWriter::Written& written);

 private:
  using Clock = std::chrono::steady_clock;

  const BuildOptions& options_;
  unsigned threads_;
  std::filesystem::path temp_dir_;
  Progress own_progress_;
  Progress& progress_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_ = begin_;
};

}  // namespace crivo::api
