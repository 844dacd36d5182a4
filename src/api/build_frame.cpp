#include "api/build_frame.hpp"

#include <cstdlib>
#include <utility>

#include "util/parallel.hpp"

namespace crivo::api {
namespace {

std::filesystem::path default_temp_dir() {
  const char* named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

}  // namespace

BuildFrame::BuildFrame(const BuildOptions& options)
    : options_(options),
      threads_(util::thread_count(options.threads)),
      temp_dir_(options.temp_dir.empty() ? default_temp_dir() : options.temp_dir),
      progress_(options.progress != nullptr ? *options.progress : own_progress_) {}

keys::HashOptions BuildFrame::hash_options() const {
  return {
      options_.seed,
      options_.ignore_duplicates ? keys::DuplicatePolicy::ignore : keys::DuplicatePolicy::refuse,
      temp_dir_};
}

double BuildFrame::lap() {
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double> seconds = now - std::exchange(last_, now);
  return seconds.count();
}

BuildSummary BuildFrame::summary(file::Kind kind, std::string_view algorithm, std::uint64_t keys,
                                 const file::ContainerWriter::Written& written) {
  BuildSummary summary;
  summary.kind = *file::kind_name(kind);
  summary.algorithm = algorithm;
  summary.keys = keys;
  summary.bytes = written.bytes;
  summary.seed = options_.seed;
  summary.threads = threads_;
  summary.write_seconds = lap();
  summary.total_seconds = std::chrono::duration<double>(last_ - begin_).count();
  summary.digest = file::to_hex(written.digest);
  return summary;
}

}  // namespace crivo::api
