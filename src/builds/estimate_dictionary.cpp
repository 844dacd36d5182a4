// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/as_error.hpp"
#include "base/processor_time.hpp"
#include "builds/build_frame.hpp"
#include "builds/dictionary_memory.hpp"
#include "crivo/dictionary.hpp"
#include "input/count_keys.hpp"
#include "opening/dictionary_file.hpp"

namespace crivo {
namespace {

/// A dictionary of some keys.
struct Tried {
  double keys = 0;
  double bytes = 0;
  double seconds = 0;
};

Tried try_build(std::vector<std::string_view> keys, const dictionary::Shape& shape,
                const base::BuildContext& context) {
  const base::WorkClock clock;
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  Progress progress;
  dictionary::Builder builder(shape, {context.threads, progress, nullptr});
  for (const std::string_view key : keys) builder.add(key);
  base::MemorySink sink;
  builder.finish([&](dictionary::Builder::Part) -> base::Sink& { return sink; });
  return {static_cast<double>(keys.size()), static_cast<double>(sink.size()),
          clock.undisturbed_seconds(context.threads)};
}

/// Of so many keys: the more there are, the more each has in common with the one before. So what a
/// key takes falls by about the same with each doubling.
double bytes_of(double keys, const Tried& few, const Tried& many) {
  if (many.keys == 0) return 0;
  const double of_many = many.bytes / many.keys;
  if (keys <= many.keys || few.keys == 0) return of_many * keys;
  const double fall =
      std::max(0.0, few.bytes / few.keys - of_many) / std::log(many.keys / few.keys);
  return keys * std::max(of_many / 4, of_many - fall * std::log(keys / many.keys));
}

}  // namespace

BuildEstimate estimate_dictionary(const KeyInput& input, const DictionaryOptions& dictionary,
                                  const BuildOptions& options) try {
  constexpr std::size_t kFew = 4;
  const dictionary::Shape shape = dictionary::shape_of(dictionary);
  index::BuildFrame frame(options);
  const input::InputSample sample = index::sample_of(input, index::Units::keys);
  input::KeptUnits kept(sample.units.value_or(0), index::mean_unit_bytes(sample));
  const base::WorkClock counting;
  const input::KeyCount count = input::count_keys(input, frame.context(), &kept);
  const double counted = counting.undisturbed_seconds(frame.threads());
  std::vector<std::string_view> keys;
  for (const input::KeptUnits::Unit& unit : kept.sorted()) keys.push_back(unit.key);
  const std::vector<std::string_view> some(
      keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(keys.size() / kFew));
  const Tried few = try_build(some, shape, frame.context());
  const Tried many = try_build(keys, shape, frame.context());
  const auto n = static_cast<double>(count.keys);
  const index::DictionaryMemory memory(count.keys, count.bytes, dictionary.sorted);
  BuildEstimate estimate;
  estimate.keys = count.keys;
  estimate.output_bytes = index::kFrameBytes + static_cast<std::uint64_t>(bytes_of(n, few, many));
  estimate.memory_bytes = memory.peak(frame.budget());
  estimate.minimum_memory_bytes = index::dictionary_need().least(0);
  estimate.temp_bytes = memory.spilled(frame.budget());
  estimate.partitions = 1;
  estimate.seconds = counted + many.seconds * n / std::max(1.0, many.keys);
  estimate.warning = index::memory_problem(0, index::dictionary_need(), frame.budget(), "a build");
  return estimate;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
