// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <vector>

#include "base/as_error.hpp"
#include "crivo/build.hpp"
#include "index/build_frame.hpp"
#include "index/codec_request.hpp"
#include "index/filter_file.hpp"
#include "index/key_hash.hpp"
#include "index/map_file.hpp"
#include "index/memory_need.hpp"
#include "index/rank_index.hpp"
#include "input/count_keys.hpp"
#include "records/size_estimate.hpp"
#include "stream/key_stream.hpp"
#include "structures/ribbon/builder.hpp"

namespace crivo {
namespace {

constexpr std::uint64_t kFileOverhead = 4096;
constexpr std::uint64_t kSpoolBytes = 8;  // of a hash or fingerprint of a key from a pipe

std::uint64_t scaled(std::uint64_t count, double factor) {
  return static_cast<std::uint64_t>(static_cast<double>(count) * factor);
}

std::uint64_t index_bytes(const mphf::Algorithm& algorithm, unsigned effort, std::uint64_t keys,
                          unsigned signature_bits) {
  return kFileOverhead + scaled(keys, (algorithm.bits_per_key[effort] + signature_bits) / 8);
}

/// The mean length of a key, or of a key and its record.
double mean_bytes(const input::KeyCount& count) noexcept {
  return static_cast<double>(count.bytes) /
         static_cast<double>(std::max<std::uint64_t>(count.keys, 1));
}

/// Of keys whose values are their numbers.
input::ValueCount count_of_numbers(const input::KeyCount& count) noexcept {
  return {count, static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(count.keys, 1) - 1))};
}

/// What all estimates have in common.
class Estimator {
 public:
  Estimator(const KeyInput& input, const BuildOptions& options, index::Units units)
      : options_(options), frame_(options), sample_(index::sample_of(input, units)) {}

  base::BuildContext context() noexcept { return frame_.context(); }
  const index::MemoryBudget& budget() const noexcept { return frame_.budget(); }

  /// What a build takes that has these phases, and these bytes of temporary disk beside what it
  /// spills. `record_bytes` is not 0 where there are records.
  BuildEstimate estimate(const input::KeyCount& count, const index::MemoryNeed& need,
                         std::vector<PhaseCost> phases, std::uint64_t temp_bytes,
                         std::uint64_t output_bytes, double record_bytes = 0) {
    const unsigned threads = context().threads;
    const index::ReadCost reading{.unit_bytes = mean_bytes(count) + 1,  // and a delimiter
                                  .compressed = sample_.bytes && !sample_.units,
                                  .record_bytes = record_bytes};
    if (record_bytes != 0) {
      for (const PhaseCost& phase : index::record_phases(record_bytes)) phases.push_back(phase);
    }
    const std::uint64_t spilled = need.spilled(count.keys, budget());
    const unsigned partition_bits = stream::partition_bits_for(
        sample_.units.value_or(UINT64_MAX), static_cast<std::size_t>(need.stream_bytes), threads,
        budget().stream_bytes());
    return {.keys = count.keys,
            .memory_bytes = need.peak(count.keys, threads, budget()),
            .minimum_memory_bytes = need.least(count.keys),
            .temp_bytes = temp_bytes + spilled,
            .output_bytes = output_bytes,
            .partitions = std::uint64_t{1} << partition_bits,
            .seconds = index::estimated_seconds(
                index::planned_phases(options_, threads, reading, phases), count.keys, spilled),
            .warning = index::memory_problem(count.keys, need, budget(), "a build")};
  }

 private:
  const BuildOptions& options_;
  index::BuildFrame frame_;
  input::InputSample sample_;
};

/// What is kept of so many keys of a pipe: a hash, and a fingerprint where equal keys are ignored;
/// nothing where they are counted.
std::uint64_t spool_bytes(const KeyInput& input, const BuildOptions& options, std::uint64_t keys) {
  if (input::regular_input_bytes(input) || options.count_duplicates) return 0;
  return (options.ignore_duplicates ? 2 : 1) * kSpoolBytes * keys;
}

}  // namespace

BuildEstimate estimate_mphf(const KeyInput& input, const MphfOptions& mphf,
                            const BuildOptions& options) try {
  const mphf::Algorithm& algorithm = index::find_algorithm(mphf.algorithm);
  index::check_effort(algorithm, mphf.effort);
  index::check_signature_bits(mphf.signature_bits, true);
  (void)index::built_hash(index::key_hash_of(mphf, algorithm), options);
  Estimator estimator(input, options, index::Units::keys);
  const input::KeyCount count = input::count_keys(input, estimator.context());
  return estimator.estimate(count, index::mphf_memory(mphf),
                            index::mphf_phases(mphf.algorithm, mphf.effort, mphf.signature_bits),
                            spool_bytes(input, options, count.keys),
                            index_bytes(algorithm, mphf.effort, count.keys, mphf.signature_bits));
} catch (...) {
  base::rethrow_as_error();
}

BuildEstimate estimate_filter(const KeyInput& input, const FilterOptions& filter,
                              const BuildOptions& options) try {
  const filter::Type& type = filter::find_type(filter);
  (void)index::built_hash(type.key_hash, options);
  Estimator estimator(input, options, index::Units::keys);
  const input::KeyCount count = input::count_keys(input, estimator.context());
  return estimator.estimate(
      count, index::filter_memory(filter), index::filter_phases(filter),
      spool_bytes(input, options, count.keys),
      kFileOverhead + scaled(count.keys, type.plan(count.keys, filter).bits_per_key / 8));
} catch (...) {
  base::rethrow_as_error();
}

BuildEstimate estimate_map(const KeyInput& input, const MapOptions& map,
                           const BuildOptions& options) try {
  const map::Algorithm& algorithm = map::find_algorithm(map);
  Estimator estimator(input, options, map.values ? index::Units::values : index::Units::keys);
  const input::ValueCount count =
      map.values ? input::count_values(input, map.form, estimator.context())
                 : count_of_numbers(input::count_keys(input, estimator.context()));
  const unsigned width = map.value_bits != 0 ? map.value_bits : std::max(count.value_bits, 1U);
  const double bits =
      algorithm.bits_per_key(count.keys, {width, map.arity}) +
      (map.signature_bits == 0 ? 0 : ribbon::bits_per_key(count.keys, map.signature_bits));
  const std::uint64_t output = kFileOverhead + scaled(count.keys, bits / 8);
  return estimator.estimate(count, index::map_memory(map, width, options.ignore_duplicates),
                            index::map_phases(map), spool_bytes(input, options, count.keys),
                            output);
} catch (...) {
  base::rethrow_as_error();
}

BuildEstimate estimate_store(const KeyInput& input, const StoreOptions& store,
                             const BuildOptions& options) try {
  const mphf::Algorithm& algorithm = index::find_algorithm(store.algorithm);
  index::check_signature_bits(store.signature_bits, false);
  Estimator estimator(input, options, index::Units::records);
  records::SizeEstimate environment(index::codec_request(store));
  const input::KeyCount count = input::count_records(
      input, estimator.context(),
      [&](std::string_view key, std::string_view record) { environment.add(key, record); });
  const std::uint64_t index = index_bytes(algorithm, 0, count.keys, store.signature_bits);
  const double pair_bytes = mean_bytes(count);
  return estimator.estimate(count, index::with_records(index::store_memory(store), pair_bytes),
                            index::mphf_phases(store.algorithm, 0, store.signature_bits), 0,
                            index + environment.bytes(), pair_bytes);
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
