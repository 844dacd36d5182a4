// SPDX-License-Identifier: Apache-2.0
#include "build/trial_builds.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <vector>

#include "base/memory.hpp"
#include "base/processor_time.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/error.hpp"
#include "input/count_keys.hpp"
#include "stream/spill_log.hpp"

namespace crivo::index {
namespace {

using Kept = std::span<const input::KeptUnits::Unit>;

constexpr double kAllSeconds = 0.18;
/// The bound for a machine that is busy.
constexpr double kMostSeconds = 2 * kAllSeconds;
constexpr int kRepeats = 3;  ///< on one that is not
/// A build that takes so much is large enough to tell how long others take.
constexpr double kEnough = kAllSeconds / 4;
/// The first that are tried.
constexpr std::size_t kFewKeys = 1000;
/// From one size to the next.
constexpr std::size_t kStep = 4;

/// The sample as an input of builds, of as many keys of it as are asked for.
class Inputs {
 public:
  Inputs(Kept kept, Units units) : units_(units) {
    for (const input::KeptUnits::Unit& unit : kept) {
      keys_.push_back(unit.key);
      records_.push_back(unit.record);
      values_.push_back(unit.value);
    }
  }

  std::size_t size() const noexcept { return keys_.size(); }
  /// Valid until the next call.
  KeyInput first(std::size_t count) {
    some_keys_ = std::span(keys_).first(count);
    some_records_ = std::span(records_).first(count);
    KeyInput input = units_ == Units::keys ? keys_in(some_keys_)
                     : units_ == Units::values
                         ? values_in(some_keys_, std::span(values_).first(count))
                         : records_in(some_keys_, some_records_);
    input.format.allow_empty = true;
    return input;
  }
  void count(const KeyInput& input, const base::BuildContext& context) const {
    switch (units_) {
      case Units::keys:
      case Units::texts:
        (void)input::count_keys(input, context, nullptr);
        return;
      case Units::values:
        (void)input::count_values(input, {}, context, nullptr);
        return;
      case Units::records:
        (void)input::count_records(input, context, nullptr);
    }
  }

 private:
  Units units_;
  std::vector<std::string_view> keys_;
  std::vector<std::string_view> records_;
  std::vector<std::uint64_t> values_;
  std::span<const std::string_view> some_keys_;
  std::span<const std::string_view> some_records_;
};

/// Some builds of one size. The work of others, which comes and goes, only adds to what each of
/// them takes; how their phases divide that, the one says that was disturbed least.
struct Tried {
  std::size_t keys = 0;
  double processor = std::numeric_limits<double>::infinity();  ///< seconds, of the least
  double counted = std::numeric_limits<double>::infinity();    ///< of counting the keys alone
  double fresh = 0;    ///< of reaching memory for the first time: of the hashes above all
  double at_work = 0;  ///< the part of its time that the least disturbed had a processor
  BuildSummary divided{};
  double seconds = 0;  ///< that it took

  /// Then nothing tells the phases apart, and all counts as building.
  bool is_disturbed() const { return at_work < 0.9; }
  double part(double BuildSummary::*phase) const {
    return is_disturbed() ? 0 : processor * divided.*phase / seconds;
  }
  double reading() const {
    return std::max(0.0, part(&BuildSummary::read_seconds) - counted - fresh);
  }
  double building() const {
    return is_disturbed() ? std::max(0.0, processor - counted - fresh)
                          : part(&BuildSummary::build_seconds);
  }
  /// The seconds of what follows: measuring a filter above all, whatever its size.
  double ending() const { return part(&BuildSummary::write_seconds); }
  double bytes() const { return static_cast<double>(divided.bytes); }
};

/// The line through what a few keys took, and what many did: the memory that is reached for the
/// first time, whatever the number of keys, is in both.
Growth growth(const Tried& few, const Tried& many, double (Tried::*figure)() const) {
  const double of_many = (many.*figure)();
  const auto keys = static_cast<double>(many.keys);
  if (few.keys == many.keys) return {0, of_many / keys};
  const double more = keys - static_cast<double>(few.keys);
  const double per_key = std::max(0.0, (of_many - (few.*figure)()) / more);
  return {of_many - per_key * keys, per_key};
}

class Trials {
 public:
  Trials(Inputs& inputs, const base::BuildContext& context, const BuildOptions& how,
         const TrialBuild& build)
      : inputs_(inputs), context_(context), how_(how), build_(build) {}

  TrialBuilds run() {
    const base::WorkClock clock;
    Tried many{.keys = std::min(inputs_.size(), kFewKeys)};
    run(many);  // the first of a process takes longer
    do {
      many = {.keys = std::min(inputs_.size(), kStep * many.keys)};
      run(many);
    } while (many.keys != inputs_.size() && many.processor < kEnough);
    Tried few{.keys = std::max<std::size_t>(many.keys / kStep, 1)};
    run(few);
    for (int i = 0; i < kRepeats || few.is_disturbed() || many.is_disturbed(); ++i) {
      if (clock.seconds() + few.processor + many.processor > kMostSeconds) break;
      run(few);
      run(many);
    }
    Growth building = growth(few, many, &Tried::building);
    building.fixed += many.ending();
    return {growth(few, many, &Tried::reading), building, growth(few, many, &Tried::bytes),
            static_cast<double>(many.keys), per_fresh_byte_};
  }

 private:
  void run(Tried& tried) {
    const Output nowhere = Output::to([](std::span<const std::byte>) {});
    const KeyInput input = inputs_.first(tried.keys);
    const base::WorkClock counting;
    inputs_.count(input, context_);
    tried.counted = std::min(tried.counted, counting.processor_seconds());
    const std::uint64_t fresh = base::fresh_bytes();
    const base::WorkClock clock;
    const BuildSummary summary = build_(input, nowhere, how_);
    const double seconds = clock.seconds();
    const double processor = clock.processor_seconds();
    tried.processor = std::min(tried.processor, processor);
    if (processor / seconds <= tried.at_work) return;
    tried.at_work = processor / seconds;
    tried.fresh = static_cast<double>(base::fresh_bytes() - fresh) * per_fresh_byte_;
    tried.divided = summary;
    tried.seconds = seconds;
  }

  Inputs& inputs_;
  const base::BuildContext& context_;
  const BuildOptions& how_;
  const TrialBuild& build_;
  const double per_fresh_byte_ = base::seconds_per_fresh_byte();
};

}  // namespace

std::optional<TrialBuilds> try_builds(Kept kept, Units units, const base::BuildContext& context,
                                      const BuildOptions& options, const TrialBuild& build) {
  if (kept.empty()) return TrialBuilds();
  Inputs inputs(kept, units);
  BuildOptions how = options;
  how.resources.progress = nullptr;
  how.resources.threads = 1;
  how.resume_dir.clear();
  const base::BuildContext alone{1, context.progress, context.scratch};
  try {
    return Trials(inputs, alone, how, build).run();
  } catch (const Error&) {
  }
  // Perhaps of equal keys; then what is told is of the keys without them.
  how.ignore_duplicates = true;
  try {
    return Trials(inputs, alone, how, build).run();
  } catch (const Error&) {
    return std::nullopt;
  }
}

double keeping_seconds(Kept kept, std::uint64_t offered) {
  if (kept.empty()) return 0;
  const base::WorkClock clock;
  input::KeptUnits again(kept.size(), 0);
  for (const input::KeptUnits::Unit& unit : kept) again.add(unit.key, unit.record, unit.value);
  // The units come in no order: those that were dropped again later are so many more.
  const double ratio = static_cast<double>(offered) / static_cast<double>(kept.size());
  return clock.processor_seconds() * (1 + std::log(std::max(1.0, ratio)));
}

double rounded_seconds(double seconds) {
  if (seconds <= 0) return 0;
  const int digits = 1 - static_cast<int>(std::floor(std::log10(seconds)));
  const double scale = std::pow(10, std::abs(digits));
  return digits < 0 ? std::round(seconds / scale) * scale : std::round(seconds * scale) / scale;
}

DiskSpeed measure_disk(const std::filesystem::path& directory) try {
  constexpr std::size_t kBytes = std::size_t{4} << 20;
  stream::SpillLog log(directory);
  const base::PageBuffer pages(kBytes);
  const std::span<std::byte> bytes(pages.data(), pages.size());
  std::ranges::fill(bytes, std::byte{1});
  (void)log.append(bytes.first(1));
  const base::WorkClock syncing;
  log.sync();
  const double sync = syncing.seconds();
  const base::WorkClock moving;
  const stream::Extent extent = log.append(bytes);
  log.sync();
  log.read(extent, pages.data());
  return {sync, std::max(0.0, moving.seconds() - sync) / 2 / static_cast<double>(kBytes)};
} catch (const Error&) {
  return {};
}

}  // namespace crivo::index
