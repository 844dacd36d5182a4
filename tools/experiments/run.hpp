// SPDX-License-Identifier: Apache-2.0
/// What an experiment measures with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "crivo/error.hpp"
#include "experiments/key_sets.hpp"
#include "experiments/progress.hpp"
#include "experiments/results.hpp"
#include "experiments/statistics.hpp"

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

/// Whether a step that was measured on a busy machine is kept.
enum class Busy {
  keeps,     ///< nothing in it is a time, or it is but a trial
  discards,  ///< it is measured again
};

/// One experiment's measuring. Where it was interrupted before, step() returns at once what was
/// measured then, so a step must not need the ones before it to have run.
class Run {
 public:
  /// All must outlive it. `threads` are for what is not timed; `directory` is where files may be
  /// made; `clock` is what tells the load.
  Run(std::string name, Scale scale, unsigned threads, std::filesystem::path directory,
      KeySets& key_sets, Results& results, ProgressLine& progress, Busy busy = Busy::keeps,
      std::function<CpuClock()> clock = cpu_clock)
      : name_(std::move(name)),
        scale_(scale),
        threads_(threads),
        busy_(busy),
        clock_(std::move(clock)),
        directory_(std::move(directory)),
        key_sets_(key_sets),
        results_(results),
        progress_(progress) {}

  bool full() const noexcept { return scale_ == Scale::full; }
  /// How often to repeat what the document repeats: --repeat times, but not more often than `most`.
  std::uint64_t repetitions(std::uint64_t most) const noexcept {
    return std::min<std::uint64_t>(results_.about().repeat, most);
  }
  /// The same of a run that takes so many seconds on average.
  std::uint64_t repetitions_at(double seconds) const noexcept {
    return repetitions(seconds < 10 ? 50 : kEnoughRuns);
  }
  unsigned threads() const noexcept { return threads_; }
  KeySets& key_sets() noexcept { return key_sets_; }
  /// For files that a step makes; it removes them.
  const std::filesystem::path& directory() const noexcept { return directory_; }

  /// What the step `id`, words joined by /, measured before; or else what `measure()`, which
  /// returns Json, does now. Both are kept in the results. Throws Error(io) where the machine was
  /// busy kMostDiscarded times in a row; what was measured before is kept.
  template <typename Measure>
  const Json& step(const std::string& id, Measure&& measure) {
    for (unsigned discarded = 0; !results_.has(id); ++discarded) {
      if (discarded == kMostDiscarded) give_up(id);
      progress_.begin_step(name_ + ": " + id +
                           (discarded == 0 ? "" : " (again: others used the machine)"));
      const CpuClock begin = clock_();
      Json measured = measure();
      const Taken taken = taken_between(begin, clock_());
      if (busy_ == Busy::keeps || taken.load <= kMostLoad) {
        results_.put(id, std::move(measured), taken);
      }
      progress_.end_step();
    }
    return results_[id];
  }

 private:
  static constexpr unsigned kMostDiscarded = 10;

  [[noreturn]] void give_up(const std::string& id) const {
    throw Error(ErrorKind::io, name_ + ": " + id + ": others used the machine in each of " +
                                   std::to_string(kMostDiscarded) +
                                   " measurements; run it again when the machine is idle");
  }

  std::string name_;
  Scale scale_;
  unsigned threads_;
  Busy busy_;
  std::function<CpuClock()> clock_;
  std::filesystem::path directory_;
  KeySets& key_sets_;
  Results& results_;
  ProgressLine& progress_;
};

}  // namespace crivo::experiments
