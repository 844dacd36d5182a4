// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/as_error.hpp"
#include "base/processor_time.hpp"
#include "build/build_frame.hpp"
#include "build/builds.hpp"
#include "build/built_hash.hpp"
#include "build/chosen.hpp"
#include "build/dictionary_memory.hpp"
#include "build/map_input.hpp"
#include "build/memory_need.hpp"
#include "build/store_output.hpp"
#include "build/trial_builds.hpp"
#include "crivo/build/build.hpp"
#include "input/count_keys.hpp"
#include "input/sources.hpp"
#include "lookup/filter_file.hpp"
#include "lookup/key_hash.hpp"
#include "lookup/map_file.hpp"
#include "lookup/rank_index.hpp"
#include "records/build/encoding.hpp"
#include "records/build/record_spool.hpp"
#include "records/build/size_estimate.hpp"
#include "stream/key_stream.hpp"
#include "structures/build/filter.hpp"
#include "structures/build/mphf.hpp"
#include "structures/build/static_function.hpp"
#include "structures/tables/build/build_lists.hpp"

namespace crivo {
namespace {

constexpr std::uint64_t kSpoolBytes = 8;  // of a hash or fingerprint of a key from a pipe

std::uint64_t scaled(std::uint64_t count, double factor) {
  return static_cast<std::uint64_t>(static_cast<double>(count) * factor);
}

std::uint64_t index_bytes(const mphf::Builder& algorithm, unsigned effort, std::uint64_t keys,
                          unsigned signature_bits) {
  return index::kFrameBytes + scaled(keys, (algorithm.bits_per_key[effort] + signature_bits) / 8);
}

/// The mean length of a key, or of a key and its record.
double mean_bytes(const input::KeyCount& count) noexcept {
  return static_cast<double>(count.bytes) /
         static_cast<double>(std::max<std::uint64_t>(count.keys, 1));
}

/// The count of keys whose values are their numbers.
input::ValueCount count_of_numbers(const input::KeyCount& count) noexcept {
  return {count, static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(count.keys, 1) - 1))};
}

/// How many times longer it takes to reach bytes at random among so many than in the caches: fitted
/// to builds of graphs of 256,000 to 4 million keys beside 32 MiB of cache.
double reaching(double bytes) {
  constexpr double kCached = 12e6;
  constexpr double kTwice = 0.75;
  constexpr double kMost = 4;
  return std::clamp(1 + kTwice * std::log2(bytes / kCached), 1.0, kMost);
}

/// The traits that set an estimate apart from others.
struct Estimated {
  index::MemoryNeed need;
  std::uint64_t output_bytes = 0;  ///< 0: as trial builds tell
  const BuildCost& cost;
  std::vector<PhaseCost> phases;
  index::TrialBuild build;
  double coding_seconds = 0;    ///< beside what trial builds take
  bool counts_repeats = false;  ///< which then are not told apart, and nothing is kept of them
};

/// The work that all estimates share.
class Estimator {
 public:
  Estimator(const KeyInput& input, const BuildOptions& options, index::Units units, file::Kind kind)
      : input_((index::check_input(input, kind), input)),
        options_(options),
        units_(units),
        frame_(options),
        sample_(index::sample_of(input, units)),
        // A store's size is not to depend on the order of its records.
        kept_(units == index::Units::records ? 0 : sample_.units.value_or(0),
              index::mean_unit_bytes(sample_)) {}

  unsigned threads() const noexcept { return frame_.memory().threads(); }
  /// Whether all threads take keys from the input: of what is decompressed, or comes by a pipe, one
  /// takes them while others hash.
  bool is_shared() const noexcept { return sample_.units.has_value(); }
  const index::MemoryBudget& budget() const noexcept { return frame_.memory().budget(); }

  /// Counts the units of the input by one of input::count_keys() and the like.
  template <typename Count>
  auto count(Count&& count_units) {
    const base::WorkClock clock;
    const auto counted = count_units(frame_.context(), &kept_);
    const unsigned sharing = is_shared() ? threads() : 1;
    counting_seconds_ = clock.undisturbed_seconds(sharing);
    sampled_ = kept_.sorted();
    const double keeping = index::keeping_seconds(sampled_, kept_.wanted(counted.keys));
    counting_seconds_ = std::max(0.0, counting_seconds_ - keeping / sharing);
    return counted;
  }
  /// The sample that was kept of them.
  std::span<const input::KeptUnits::Unit> sampled() const noexcept { return sampled_; }

  BuildEstimate estimate(const input::KeyCount& count, const Estimated& kind) {
    const unsigned threads = frame_.memory().threads();
    const index::MemoryBudget& budget = frame_.memory().budget();
    index::MemoryNeed need = kind.need;
    need.longest_record = static_cast<double>(count.longest);  // a key is read as one is
    const std::uint64_t spilled =
        kind.need.spilled(base::div_ceil(count.keys, options_.passes), budget);
    const unsigned partition_bits = stream::partition_bits_for(
        sample_.units.value_or(UINT64_MAX), static_cast<std::size_t>(kind.need.stream_bytes),
        threads, budget.stream_bytes());
    const index::TrialBuilds trial =
        index::try_builds(sampled_, units_, frame_.context(), options_, kind.build)
            .value_or(index::TrialBuilds());
    const std::uint64_t output =
        kind.output_bytes != 0
            ? kind.output_bytes
            : static_cast<std::uint64_t>(trial.bytes.of(static_cast<double>(count.keys)));
    return {.keys = count.keys,
            .memory_bytes = need.peak(count.keys, threads, budget),
            .minimum_memory_bytes = kind.need.least(count.keys),
            .temp_bytes = spooled_bytes(count.keys, kind.counts_repeats) + spilled,
            .output_bytes = output,
            .partitions = std::uint64_t{1} << partition_bits,
            .seconds = seconds(count, trial, kind, spilled, output),
            .warning = index::memory_problem(count.keys, kind.need, budget, "a build")};
  }

 private:
  /// Returns the bytes kept of the keys of a pipe: a hash, and a fingerprint where equal keys are
  /// ignored; nothing where they are counted.
  std::uint64_t spooled_bytes(std::uint64_t keys, bool counted) const {
    const bool kept =
        !input::Sources(input_).can_be_read_again() && !counted && units_ != index::Units::records;
    return kept ? (options_.ignore_duplicates ? 2 : 1) * kSpoolBytes * keys : 0;
  }

  double seconds(const input::KeyCount& count, const index::TrialBuilds& trial,
                 const Estimated& kind, std::uint64_t spilled, std::uint64_t output) {
    const index::DiskSpeed disk = index::measure_disk(frame_.temp_dir());
    const auto keys = static_cast<double>(count.keys);
    const double held = kind.cost.whole_set ? kind.cost.held_bytes : 0;
    const double farther = held != 0 ? reaching(held * keys) / reaching(held * trial.keys) : 1;
    const double hashing = trial.reading.of(keys, threads());
    const double reading =
        is_shared() ? counting_seconds_ + hashing
                    : std::max(counting_seconds_, counting_seconds_ / threads() + hashing);
    const std::uint64_t peak = kind.need.peak(count.keys, threads(), budget());
    const std::uint64_t fresh = peak - std::min(peak, kind.need.peak(0, threads(), budget()));
    const double building =
        static_cast<double>(fresh) * trial.seconds_per_fresh_byte / threads() +
        farther * trial.building.of(keys, index::parallelism(kind.phases, threads())) +
        kind.coding_seconds;
    const double spilling = static_cast<double>(spilled) * disk.seconds_per_byte;
    const double writing = static_cast<double>(output) * disk.seconds_per_byte;
    const double publishing = 2 * disk.sync_seconds;
    // Spilling has threads that write, while those that build read.
    const double keys_at_hand = std::max(reading, spilling) + spilling;
    return index::rounded_seconds(static_cast<double>(options_.passes) * keys_at_hand +
                                  std::max(building, writing) + publishing);
  }

  const KeyInput& input_;
  const BuildOptions& options_;
  index::Units units_;
  index::BuildFrame frame_;
  input::InputSample sample_;
  input::KeptUnits kept_;
  std::vector<input::KeptUnits::Unit> sampled_;
  double counting_seconds_ = 0;
};

}  // namespace

BuildEstimate estimate_mphf(const KeyInput& input, const MphfOptions& mphf,
                            const BuildOptions& options) try {
  const mphf::Builder& algorithm = index::find_algorithm(mphf);
  (void)index::built_hash(hashing::find_key_hash(mphf.hash), options);
  Estimator estimator(input, options, index::Units::keys, file::Kind::mphf);
  const input::KeyCount count = estimator.count(
      [&](const auto& context, auto* kept) { return input::count_keys(input, context, kept); });
  return estimator.estimate(
      count, {.need = index::mphf_memory(mphf),
              .output_bytes = index_bytes(algorithm, mphf.effort, count.keys, mphf.signature_bits),
              .cost = algorithm.cost,
              .phases = index::mphf_phases(mphf.algorithm, mphf.effort, mphf.signature_bits),
              .build = [&](const KeyInput& some, const Output& nowhere, const BuildOptions& how) {
                return build_mphf(some, nowhere, mphf, how);
              }});
} catch (...) {
  base::rethrow_as_error();
}

BuildEstimate estimate_filter(const KeyInput& input, const FilterOptions& filter,
                              const BuildOptions& options) try {
  const filter::Builder& type = filter::find_type(filter);
  (void)index::built_hash(type.type().key_hash, options);
  Estimator estimator(input, options, index::Units::keys, file::Kind::filter);
  const input::KeyCount count = estimator.count(
      [&](const auto& context, auto* kept) { return input::count_keys(input, context, kept); });
  return estimator.estimate(
      count,
      {.need = index::filter_memory(filter),
       .output_bytes = index::kFrameBytes +
                       scaled(count.keys, type.forecast(count.keys, filter).bits_per_key / 8),

       .cost = type.cost,
       .phases = index::filter_phases(filter),
       .build = [&](const KeyInput& some, const Output& nowhere,
                    const BuildOptions& how) { return build_filter(some, nowhere, filter, how); },
       .counts_repeats = filter.count_duplicates});
} catch (...) {
  base::rethrow_as_error();
}

BuildEstimate estimate_map(const KeyInput& input, const MapOptions& map,
                           const BuildOptions& options) try {
  const map::Builder& algorithm = map::find_algorithm(map);
  Estimator estimator(input, options, map.values ? index::Units::values : index::Units::keys,
                      file::Kind::map);
  const input::ValueCount count = estimator.count([&](const auto& context, auto* kept) {
    return map.values ? input::count_values(input, map.form, context, kept)
                      : count_of_numbers(input::count_keys(input, context, kept));
  });
  const unsigned width = map.value_bits != 0 ? map.value_bits : std::max(count.value_bits, 1U);
  MapOptions tried = map;
  tried.value_bits = width;
  tried.form = {};  // values are kept as a map has them
  std::uint64_t output = 0;
  if (!algorithm.compresses) {
    const double bits =
        algorithm.bits_per_key(count.keys, {width, map.arity}) +
        (map.signature_bits == 0 ? 0 : map::signature_bits_per_key(count.keys, map.signature_bits));
    output = index::kFrameBytes + scaled(count.keys, bits / 8);
  }
  return estimator.estimate(
      count, {.need = index::map_memory(map, width, options.ignore_duplicates),
              .output_bytes = output,
              .cost = algorithm.cost,
              .phases = index::map_phases(map),
              .build = [&](const KeyInput& some, const Output& nowhere, const BuildOptions& how) {
                return build_map(some, nowhere, tried, how);
              }});
} catch (...) {
  base::rethrow_as_error();
}

BuildEstimate estimate_rows(const KeyInput& pairs, const RowsOptions& rows,
                            const BuildOptions& options) try {
  const KeyInput input = index::rows_input(pairs, rows);
  Estimator estimator(input, options, index::Units::values, file::Kind::rows);
  const input::KeyCount count = estimator.count(
      [&](const auto& context, auto* kept) { return input::count_records(input, context, kept); });
  index::check_rows_options(rows);
  const MapOptions map = index::map_of_rows(rows, tables::number_bits(count.keys));
  const map::Builder& algorithm = map::find_algorithm(map);
  // Of lists at most: no key stands twice.
  const double bits =
      rows.many ? tables::bits_of_lists({count.keys, count.keys}, count.keys, rows.signature_bits) /
                      static_cast<double>(std::max<std::uint64_t>(count.keys, 1))
                : algorithm.bits_per_key(count.keys, {map.value_bits, map.arity}) +
                      (map.signature_bits == 0
                           ? 0
                           : map::signature_bits_per_key(count.keys, map.signature_bits));
  return estimator.estimate(
      count, {.need = index::rows_memory(rows, map, options.ignore_duplicates),
              .output_bytes = index::kFrameBytes + scaled(count.keys, bits / 8),
              .cost = algorithm.cost,
              .phases = index::map_phases(map),
              .build = [&](const KeyInput& some, const Output& nowhere, const BuildOptions& how) {
                return build_map(some, nowhere, map, how);
              }});
} catch (...) {
  base::rethrow_as_error();
}

namespace {

/// The bytes of the index, without those of the codec.
std::uint64_t store_index_bytes(const StoreOptions& store, const mphf::Builder& algorithm,
                                std::span<const records::SampledRecord> sample,
                                std::uint64_t keys) {
  if (!index::is_ordered(store)) return index_bytes(algorithm, 0, keys, store.signature_bits);
  constexpr double kSlotBytes = 64.0 / 14;
  std::vector<std::string_view> texts;
  for (const records::SampledRecord& one : sample) texts.push_back(one.key);
  return index::kFrameBytes + scaled(keys, kSlotBytes) + index::dictionary_bytes(texts, keys);
}

/// The share of the bytes of records that long ones have, which stay in plain files.
double share_of_long(std::span<const records::SampledRecord> sample) {
  double all = 0;
  double those = 0;
  for (const records::SampledRecord& one : sample) {
    const auto bytes = static_cast<double>(one.key.size() + one.record.size());
    all += bytes;
    if (one.record.size() >= records::RecordSpool::kLeastInInput) those += bytes;
  }
  return all == 0 ? 0 : those / all;
}

}  // namespace

BuildEstimate estimate_store(const KeyInput& input, const StoreOptions& store,
                             const BuildOptions& options) try {
  const mphf::Builder& algorithm = index::find_algorithm(store);
  const records::CodecRequest codec = index::codec_request(store);
  Estimator estimator(input, options, index::Units::records, file::Kind::store);
  const input::KeyCount count = estimator.count(
      [&](const auto& context, auto* kept) { return input::count_records(input, context, kept); });
  std::vector<records::SampledRecord> sample;
  for (const input::KeptUnits::Unit& unit : estimator.sampled())
    sample.push_back({unit.key, unit.record, unit.value});
  const records::RecordEstimate encoded =
      records::estimate_records(codec, sample, count.keys, count.bytes);
  // The codec's cost is known by now: its training does not shrink with the sample.
  StoreOptions tried = store;
  tried.codec = "none";
  std::vector<PhaseCost> phases = index::mphf_phases(store.algorithm, 0, store.signature_bits);
  for (const PhaseCost& phase : index::record_phases(mean_bytes(count))) phases.push_back(phase);
  index::MemoryNeed need = index::with_coding(
      index::with_records(index::store_memory(store), mean_bytes(count), count.longest),
      codec.codec, static_cast<double>(count.bytes), mean_bytes(count),
      double(encoded.bytes) / double(std::max<std::uint64_t>(count.bytes, 1)));
  const bool may_stay = estimator.is_shared() && options.resume_dir.empty() &&
                        input.paths.size() <= records::RecordSpool::kMostFiles;
  const double stay = may_stay ? share_of_long(sample) : 0;
  need.in_input_bytes = stay * mean_bytes(count);
  BuildEstimate estimate = estimator.estimate(
      count,
      {.need = need,
       .output_bytes = store_index_bytes(store, algorithm, sample, count.keys) + encoded.bytes,
       .cost = algorithm.cost,
       .phases = phases,
       .build =
           [&](const KeyInput& some, const Output& nowhere, const BuildOptions& how) {
             return index::build_store(
                 some, nowhere, tried, how,
                 hashing::hash_family(index::built_hash(hashing::KeyHashId::xxh3, how)));
           },
       .coding_seconds =
           encoded.training_seconds + encoded.encoding_seconds / estimator.threads()});
  if (index::is_ordered(store)) {
    // Records are copied once more, where they are sorted, and have neither hash nor rank.
    constexpr std::uint64_t kUnhashed = 32;
    const std::uint64_t copied = scaled(count.bytes, 1 - stay);
    const std::uint64_t whole =
        estimate.memory_bytes + copied - std::min(copied, kUnhashed * count.keys);
    if (estimate.temp_bytes != 0 || whole > estimator.budget().bytes) estimate.temp_bytes += copied;
    estimate.memory_bytes =
        need.peak_in_order(count.keys, copied, estimator.threads(), estimator.budget());
  }
  return estimate;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
