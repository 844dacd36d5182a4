// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/as_error.hpp"
#include "base/processor_time.hpp"
#include "build/build_file.hpp"
#include "build/builds.hpp"
#include "build/built_file.hpp"
#include "build/built_hash.hpp"
#include "build/choices.hpp"
#include "build/chosen.hpp"
#include "build/dictionary_memory.hpp"
#include "build/memory_need.hpp"
#include "build/trial_builds.hpp"
#include "build/universe_input.hpp"
#include "input/grouped_keys.hpp"
#include "input/places.hpp"
#include "lookup/exact_file.hpp"
#include "lookup/key_hash.hpp"
#include "structures/exact/build/builder.hpp"

namespace crivo::index {

/// The memory for so many members, and for the keys that are gathered: members, and others that
/// pass their filters.
struct ExactMemory {
  std::uint64_t members = 0;
  std::uint64_t gathered = 0;

  std::uint64_t peak(unsigned threads, const MemoryBudget& budget) const noexcept;
  std::uint64_t spilled(const MemoryBudget& budget) const noexcept;
};

}  // namespace crivo::index

namespace crivo {
namespace {

using input::Grouping;

const KeyInput& universe_of(const KeyInput& input) {
  if (!input.universe) {
    throw Error(ErrorKind::usage, "an exact set needs the keys that it is to answer for",
                {.remedy = "universe"});
  }
  return *input.universe;
}

/// The members and the universe of an exact set, in the memory of a build.
class ExactInput {
 public:
  /// Throws Error(usage) for unsound options, and where there is no universe.
  ExactInput(const KeyInput& input, const ExactOptions& asked, const hashing::HashFamily& hash)
      : options_(exact::checked(asked)),
        universe_(universe_of(input)),
        grouping_{options_.grouped, options_.group_delimiter},
        hash_(hash) {}

  const ExactOptions& options() const noexcept { return options_; }
  const KeyInput& universe() const noexcept { return universe_; }
  index::Units units() const noexcept {
    return options_.grouped && options_.group_delimiter.empty() ? index::Units::values
                                                                : index::Units::keys;
  }

  void read_members(const KeyInput& members, input::HashOptions hashing,
                    const base::BuildContext& context, const input::UseKeys& use) const {
    hashing.memory_bytes /= 2;  // the rest is for what passes the filters
    input::hash_grouped_keys(members, grouping_, hashing, context, use);
  }
  index::UniverseInput universe_of_seed(std::uint64_t seed, base::Scratch* scratch,
                                        const input::HashLogPlace& log = {}) const {
    return {universe_, grouping_, hashing::SeededHash(hash_, seed), scratch, log};
  }
  /// All that decides about the bytes beside the keys and their format.
  file::Metadata choices() const {
    file::Metadata choices = index::metadata_of(options_);
    choices["group_delimiter"] = options_.group_delimiter;
    return choices;
  }
  exact::Parameters parameters(const index::BuildFrame& frame) const {
    return {.grouped = options_.grouped,
            .outside_rate = options_.fpr,
            .memory_bytes = frame.memory().budget().stream_bytes() / 2,
            .temp_dir = frame.temp_dir()};
  }

 private:
  ExactOptions options_;
  const KeyInput& universe_;
  Grouping grouping_;
  hashing::HashFamily hash_;
};

/// A builder with the universe that it asks.
struct ExactWork {
  ExactWork(const ExactInput& input, const input::KeySet& set, const index::BuildFrame& frame,
            const base::BuildContext& context, const input::HashLogPlace& log)
      : universe(input.universe_of_seed(set.seed, context.scratch, log)),
        builder(set.keys, universe, input.parameters(frame), context) {}

  index::UniverseInput universe;
  exact::Builder builder;
};

}  // namespace

namespace index {

BuildSummary build_exact(const KeyInput& input, const Output& output, const ExactOptions& asked,
                         const BuildOptions& options, const hashing::HashFamily& hash) {
  const ExactInput keys(input, asked, hash);
  const ExactOptions& exact = keys.options();
  BuildFrame frame(options, hash);
  BuiltFile file(frame.outputs().file(output, input), output.name());
  FileBuild build{
      .units = keys.units(),
      .memory = exact_memory(exact),
      .phases = {{"universe", 60}, {"build", 80}},
      .read = [&](const KeyInput& members, const input::HashOptions& hashing,
                  const base::BuildContext& context,
                  const input::UseKeys& use) { keys.read_members(members, hashing, context, use); },
      .plan =
          [&](const input::KeySet& set, const base::BuildContext& context) {
            const auto work = std::make_shared<ExactWork>(
                keys, set, frame, context,
                frame.universe_log(keys.universe(), build.header, build.choices));
            const std::shared_ptr<exact::Builder> builder(work, &work->builder);
            Recipe recipe = plan(exact, set.keys.size(), builder);
            recipe.found_later = [&input, &exact, builder]() -> FoundLater {
              const exact::Built& built = builder->built();
              return {built.universe_sum, built.temp_bytes,
                      warn_of_missing(input, built.missing, exact.strict)};
            };
            return recipe;
          }};
  build.header.kind = file::Kind::exact;
  build.header.key_hash = built_hash(hashing::KeyHashId::xxh3, options);
  build.choices = keys.choices();
  return build_file(frame, input, file, build, options);
}

}  // namespace index

BuildSummary build_exact(const KeyInput& members, const KeyInput& universe, const Output& output,
                         const ExactOptions& exact, const BuildOptions& options) try {
  index::check_input(members, KindInput::keys, "members with a universe beside them");
  KeyInput input = members;
  input.universe = std::make_shared<const KeyInput>(universe);
  return build_exact(input, output, exact, options);
} catch (...) {
  base::rethrow_as_error();
}

BuildSummary build_exact(const KeyInput& input, const Output& output, const ExactOptions& exact,
                         const BuildOptions& options) try {
  return index::build_exact(input, output, exact, options, index::usual_family(options));
} catch (...) {
  base::rethrow_as_error();
}

BuildEstimate estimate_exact(const KeyInput& input, const ExactOptions& asked,
                             const BuildOptions& options) try {
  constexpr double kGatheredSeconds = 150e-9;  // of a key
  const base::WorkClock clock;
  const hashing::HashFamily hash = index::usual_family(options);
  index::check_input(input, file::Kind::exact);
  const ExactInput keys(input, asked, hash);
  index::BuildFrame frame(options, hash);
  BuildEstimate estimate;
  keys.read_members(input, frame.hash_options(), frame.context(), [&](const input::KeySet& set) {
    const base::BuildContext context = frame.context();
    const index::UniverseInput universe = keys.universe_of_seed(set.seed, context.scratch);
    const exact::Planned planned = exact::plan(set.keys, universe, keys.parameters(frame), context);
    estimate.keys = set.keys.size();
    estimate.output_bytes = index::kFrameBytes + planned.bytes;
    const index::ExactMemory memory{set.keys.size(), planned.passing + set.keys.size()};
    index::MemoryNeed need = index::exact_memory(keys.options());
    need.longest_record = index::mean_unit_bytes(index::sample_of(input, index::Units::keys));
    const std::uint64_t peak = memory.peak(frame.memory().threads(), frame.memory().budget());
    estimate.memory_bytes =
        static_cast<std::uint64_t>(need.with_longest(static_cast<double>(peak)));
    estimate.minimum_memory_bytes = need.least(set.keys.size());
    estimate.temp_bytes = memory.spilled(frame.memory().budget());
    if (!input::regular_input_bytes(keys.universe())) estimate.temp_bytes += 24 * planned.universe;
    estimate.partitions = std::uint64_t{1} << stream::partition_bits_for(set.keys.size());
    // The keys are read twice more.
    const double threads = frame.memory().threads();
    estimate.seconds =
        index::rounded_seconds(2 * clock.undisturbed_seconds(threads) +
                               kGatheredSeconds * static_cast<double>(memory.gathered) / threads +
                               2 * index::measure_disk(frame.temp_dir()).sync_seconds);
  });
  return estimate;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo

namespace crivo::index {
namespace {

// Half of the stream's memory is the members', a quarter that of gathered keys.
std::uint64_t most_members(const MemoryBudget& budget) noexcept {
  return budget.stream_bytes() / 2;
}
std::uint64_t most_gathered(const MemoryBudget& budget) noexcept {
  return budget.stream_bytes() / 4;
}

constexpr std::uint64_t kMemberBytes = 16;    // a hash
constexpr std::uint64_t kGatheredBytes = 24;  // and its group or place

}  // namespace

std::uint64_t ExactMemory::peak(unsigned threads, const MemoryBudget& budget) const noexcept {
  // Fitted to the peak resident memory of builds of 10^4 to 10^6 members of 10^6 and 10^7 URLs.
  constexpr double kFixed = 9.8e6;
  constexpr double kWork = 12e6;     // of one thread
  constexpr double kMoreWork = 5e6;  // of each other
  constexpr double kWorkKey = 53;
  constexpr double kHeldMember = 34;
  constexpr double kHeldGathered = 26;
  const auto all = static_cast<double>(gathered);
  const double work = std::min(kWork + kMoreWork * (threads - 1), kWorkKey * all);
  const double held = std::min(kHeldMember * static_cast<double>(members),
                               static_cast<double>(most_members(budget)));
  const double passing = std::min(kHeldGathered * all, static_cast<double>(most_gathered(budget)));
  return static_cast<std::uint64_t>(kFixed + work + held + passing);
}

std::uint64_t ExactMemory::spilled(const MemoryBudget& budget) const noexcept {
  return spilled_of(kMemberBytes * members, most_members(budget)) +
         spilled_of(kGatheredBytes * gathered, most_gathered(budget));
}

}  // namespace crivo::index
