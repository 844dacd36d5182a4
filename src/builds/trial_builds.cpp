// SPDX-License-Identifier: Apache-2.0
#include "builds/trial_builds.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <vector>

#include "base/page_buffer.hpp"
#include "base/processor_time.hpp"
#include "crivo/error.hpp"
#include "crivo/key_source.hpp"
#include "input/count_keys.hpp"
#include "stream/spill_log.hpp"

namespace crivo::index {
namespace {

using Kept = std::span<const input::KeptUnits::Unit>;

constexpr double kAllSeconds = 0.18;
/// Of a machine that is busy.
constexpr double kMostSeconds = 2 * kAllSeconds;
constexpr int kRepeats = 3;
/// A build that takes so much is large enough to tell how long others take.
constexpr double kEnough = kAllSeconds / 4;
/// What they take hardly depends on their number.
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
      values_.push_back(unit.beside);
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

/// The best of some builds of one size, as the work of others only adds to them.
struct Tried {
  std::size_t keys = 0;
  double seconds = std::numeric_limits<double>::infinity();  ///< of reading and building
  double read_share = 0;
  double end_seconds = 0;  ///< of what follows: measuring a filter above all, whatever its size
  double bytes = 0;
};

/// The line through what a few keys took, and what many did.
Growth growth(const Tried& few, const Tried& many, double Tried::*figure) {
  if (few.keys == many.keys) return {0, many.*figure / static_cast<double>(many.keys)};
  const double per_key =
      std::max(0.0, (many.*figure - few.*figure) / static_cast<double>(many.keys - few.keys));
  return {many.*figure - per_key * static_cast<double>(many.keys), per_key};
}

class Trials {
 public:
  Trials(Inputs& inputs, const base::BuildContext& context, const Parallelism& parallelism,
         const BuildOptions& how, const TrialBuild& build)
      : inputs_(inputs), context_(context), parallelism_(parallelism), how_(how), build_(build) {}

  TrialBuilds run() {
    const base::WorkClock clock;
    Tried few{.keys = std::min(inputs_.size(), kFewKeys)};
    Tried many = few;
    run(many);  // the first of a process takes longer
    run(few);
    do {
      many = {.keys = std::min(inputs_.size(), kStep * many.keys)};
      run(many);
    } while (many.keys != inputs_.size() && many.seconds < kEnough);
    for (int i = 0; i < kRepeats && clock.seconds() + few.seconds + many.seconds < kMostSeconds;
         ++i) {
      run(few);
      run(many);
    }
    Growth seconds = growth(few, many, &Tried::seconds);
    seconds.fixed += many.end_seconds;
    return {seconds, many.read_share, growth(few, many, &Tried::bytes),
            static_cast<double>(many.keys)};
  }

 private:
  void run(Tried& tried) {
    const Output nowhere = Output::to([](std::span<const std::byte>) {});
    const KeyInput input = inputs_.first(tried.keys);
    const base::WorkClock counting;
    inputs_.count(input, context_);
    const double counted = counting.undisturbed_seconds(parallelism_.read);
    const base::WorkClock clock;
    const BuildSummary summary = build_(input, nowhere, how_);
    // A machine that is busy makes all phases longer, by as much as is used less than could be.
    const double usable = parallelism_.read * summary.read_seconds +
                          parallelism_.build * summary.build_seconds + summary.write_seconds;
    const double share = std::min(1.0, clock.processor_seconds() / usable);
    const double read = std::max(0.0, share * summary.read_seconds - counted);
    const double seconds = read + share * summary.build_seconds;
    if (seconds > tried.seconds) return;
    tried = {tried.keys, seconds, seconds > 0 ? read / seconds : 0, share * summary.write_seconds,
             static_cast<double>(summary.bytes)};
  }

  Inputs& inputs_;
  const base::BuildContext& context_;
  const Parallelism& parallelism_;
  const BuildOptions& how_;
  const TrialBuild& build_;
};

}  // namespace

std::optional<TrialBuilds> try_builds(Kept kept, Units units, const base::BuildContext& context,
                                      const Parallelism& parallelism, const BuildOptions& options,
                                      const TrialBuild& build) {
  if (kept.empty()) return TrialBuilds();
  Inputs inputs(kept, units);
  BuildOptions how = options;
  how.resources.progress = nullptr;
  how.resume_dir.clear();
  try {
    return Trials(inputs, context, parallelism, how, build).run();
  } catch (const Error&) {
  }
  // Perhaps of equal keys; then what is told is of the keys without them.
  how.ignore_duplicates = true;
  try {
    return Trials(inputs, context, parallelism, how, build).run();
  } catch (const Error&) {
    return std::nullopt;
  }
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
