#include <algorithm>
#include <bit>

#include "api/build_frame.hpp"
#include "api/key_hash.hpp"
#include "api/memory_need.hpp"
#include "crivo/build.hpp"
#include "filter/filter_file.hpp"
#include "map/map_file.hpp"
#include "mphf/rank_index.hpp"
#include "ribbon/builder.hpp"
#include "store/record_sorter.hpp"
#include "store/size_estimate.hpp"
#include "util/as_error.hpp"

namespace crivo {
namespace {

constexpr std::uint64_t kFileOverhead = 4096;
constexpr std::uint64_t kRecordHeader = 48;  // of a record in the temporary log
constexpr std::uint64_t kSpoolBytes = 8;     // of a hash or fingerprint of a key from a pipe

std::uint64_t scaled(std::uint64_t count, double factor) {
  return static_cast<std::uint64_t>(static_cast<double>(count) * factor);
}

std::uint64_t index_bytes(const mphf::Algorithm& algorithm, std::uint64_t keys,
                          unsigned signature_bits) {
  return kFileOverhead + scaled(keys, (algorithm.bits_per_key + signature_bits) / 8);
}

/// What a build of so many keys takes, which has these bytes of temporary disk beside what it
/// spills.
BuildEstimate estimate_of(const api::BuildFrame& frame, const api::MemoryNeed& need,
                          std::uint64_t keys, unsigned threads, std::uint64_t temp_bytes,
                          std::uint64_t output_bytes) {
  const api::MemoryBudget& budget = frame.budget();
  return {.keys = keys,
          .memory_bytes = need.peak(keys, threads, budget.bytes),
          .minimum_memory_bytes = need.least(keys),
          .temp_bytes = temp_bytes + need.spilled(keys, budget.bytes),
          .output_bytes = output_bytes,
          .warning = api::memory_problem(keys, need, budget)};
}

/// What is kept of so many keys of a pipe: a hash, and a fingerprint where equal keys are ignored.
std::uint64_t spool_bytes(const KeyInput& input, const BuildOptions& options, std::uint64_t keys) {
  if (keys::regular_input_bytes(input.paths)) return 0;
  return (options.ignore_duplicates ? 2 : 1) * kSpoolBytes * keys;
}

}  // namespace

BuildEstimate estimate_mphf(const KeyInput& input, const MphfOptions& mphf,
                            const BuildOptions& options) try {
  const mphf::Algorithm& algorithm = mphf::find_algorithm(mphf.algorithm);
  mphf::check_effort(algorithm, mphf.effort);
  mphf::check_signature_bits(mphf.signature_bits, true);
  (void)api::built_hash(api::key_hash_of(mphf, algorithm), options);
  api::BuildFrame frame(options);
  const keys::KeyCount count = keys::count_keys(input, frame.context());
  const std::uint64_t output = index_bytes(algorithm, count.keys, mphf.signature_bits);
  return estimate_of(frame, api::mphf_memory(mphf), count.keys, frame.context().threads,
                     spool_bytes(input, options, count.keys), output);
} catch (...) {
  util::rethrow_as_error();
}

BuildEstimate estimate_filter(const KeyInput& input, const FilterOptions& filter,
                              const BuildOptions& options) try {
  const filter::Type& type = filter::find_type(filter);
  (void)api::built_hash(type.key_hash, options);
  api::BuildFrame frame(options);
  const keys::KeyCount count = keys::count_keys(input, frame.context());
  const std::uint64_t output =
      kFileOverhead + scaled(count.keys, type.plan(count.keys, filter).bits_per_key / 8);
  return estimate_of(frame, api::filter_memory(filter), count.keys, frame.context().threads,
                     spool_bytes(input, options, count.keys), output);
} catch (...) {
  util::rethrow_as_error();
}

BuildEstimate estimate_map(const KeyInput& input, const MapOptions& map,
                           const BuildOptions& options) try {
  const map::Algorithm& algorithm = map::find_algorithm(map);
  api::BuildFrame frame(options);
  const keys::KeyCount count = map.values ? keys::count_records(input, frame.context())
                                          : keys::count_keys(input, frame.context());
  // Of values only the lines' lengths are known before they are read: the widest are assumed.
  const unsigned needed = map.values ? 64
                                     : std::max(static_cast<unsigned>(std::bit_width(
                                                    std::max<std::uint64_t>(count.keys, 1) - 1)),
                                                1U);
  const unsigned width = map.value_bits != 0 ? map.value_bits : needed;
  const double bits =
      algorithm.bits_per_key(count.keys, {width, map.arity}) +
      (map.signature_bits == 0 ? 0 : ribbon::bits_per_key(count.keys, map.signature_bits));
  const std::uint64_t output = kFileOverhead + scaled(count.keys, bits / 8);
  return estimate_of(frame, api::map_memory(map, width, options.ignore_duplicates), count.keys,
                     frame.context().threads, spool_bytes(input, options, count.keys), output);
} catch (...) {
  util::rethrow_as_error();
}

BuildEstimate estimate_store(const KeyInput& input, const StoreOptions& store,
                             const BuildOptions& options) try {
  const mphf::Algorithm& algorithm = mphf::find_algorithm(store.algorithm);
  mphf::check_signature_bits(store.signature_bits, false);
  api::BuildFrame frame(options);
  store::SizeEstimate environment;
  const keys::KeyCount count = keys::count_records(
      input, frame.context(),
      [&](std::string_view key, std::string_view record) { environment.add(key, record); });
  const std::uint64_t index = index_bytes(algorithm, count.keys, store.signature_bits);
  const std::uint64_t temporary = count.bytes + kRecordHeader * count.keys;
  BuildEstimate estimate =
      estimate_of(frame, api::store_memory(store), count.keys, frame.context().threads, temporary,
                  index + environment.bytes());
  estimate.memory_bytes +=
      2 * (temporary / store::RecordSorter::kPartitions);  // partitions that are in memory at once
  return estimate;
} catch (...) {
  util::rethrow_as_error();
}

}  // namespace crivo
