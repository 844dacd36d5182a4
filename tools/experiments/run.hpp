// SPDX-License-Identifier: Apache-2.0
/// What an experiment measures with.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "experiments/key_sets.hpp"
#include "experiments/progress.hpp"
#include "experiments/results.hpp"

namespace crivo::experiments {

enum class Scale {
  small,  ///< seconds: to see that all is well
  full,   ///< the documents' own numbers
};

/// The keys of the vocabulary and of the URLs. The small sets are a 128th of the dissertation's, so
/// that the size of each hash table stands between the same multiples of powers of two as its.
constexpr std::uint64_t keys_of(Scale scale) noexcept {
  constexpr std::uint64_t kFull = 10'935'928;
  return scale == Scale::full ? kFull : kFull / 128;
}

/// One experiment's measuring. Where it was interrupted before, step() returns at once what was
/// measured then, so a step must not need the ones before it to have run.
class Run {
 public:
  /// All must outlive it. `threads` are for what is not timed; `directory` is where files may be
  /// made.
  Run(std::string name, Scale scale, unsigned threads, std::filesystem::path directory,
      KeySets& key_sets, Results& results, ProgressLine& progress)
      : name_(std::move(name)),
        scale_(scale),
        threads_(threads),
        directory_(std::move(directory)),
        key_sets_(key_sets),
        results_(results),
        progress_(progress) {}

  bool full() const noexcept { return scale_ == Scale::full; }
  /// How often to repeat what the document repeats: as it does, or --repeat times, but not more
  /// often than `most`, which is what the time of a run allows.
  std::uint64_t repetitions(std::uint64_t most) const noexcept {
    return std::min<std::uint64_t>(results_.about().repeat, most);
  }
  unsigned threads() const noexcept { return threads_; }
  KeySets& key_sets() noexcept { return key_sets_; }
  /// For files that a step makes; it removes them.
  const std::filesystem::path& directory() const noexcept { return directory_; }

  /// What the step `id`, words joined by /, measured before; or else what `measure()`, which
  /// returns Json, does now. Both are kept in the results.
  template <typename Measure>
  const Json& step(const std::string& id, Measure&& measure) {
    if (!results_.has(id)) {
      progress_.begin_step(name_ + ": " + id);
      const auto begin = std::chrono::steady_clock::now();
      Json measured = measure();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      results_.put(id, std::move(measured), took.count());
      progress_.end_step();
    }
    return results_[id];
  }

 private:
  std::string name_;
  Scale scale_;
  unsigned threads_;
  std::filesystem::path directory_;
  KeySets& key_sets_;
  Results& results_;
  ProgressLine& progress_;
};

}  // namespace crivo::experiments
