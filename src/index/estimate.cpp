#include <algorithm>
#include <bit>

#include "base/as_error.hpp"
#include "crivo/build.hpp"
#include "index/build_frame.hpp"
#include "index/filter_file.hpp"
#include "index/key_hash.hpp"
#include "index/map_file.hpp"
#include "index/memory_need.hpp"
#include "index/rank_index.hpp"
#include "records/record_sorter.hpp"
#include "records/size_estimate.hpp"
#include "structures/ribbon/builder.hpp"

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
BuildEstimate estimate_of(const index::BuildFrame& frame, const index::MemoryNeed& need,
                          std::uint64_t keys, unsigned threads, std::uint64_t temp_bytes,
                          std::uint64_t output_bytes) {
  const index::MemoryBudget& budget = frame.budget();
  return {.keys = keys,
          .memory_bytes = need.peak(keys, threads, budget.bytes),
          .minimum_memory_bytes = need.least(keys),
          .temp_bytes = temp_bytes + need.spilled(keys, budget.bytes),
          .output_bytes = output_bytes,
          .warning = index::memory_problem(keys, need, budget)};
}

/// What is kept of so many keys of a pipe: a hash, and a fingerprint where equal keys are ignored.
std::uint64_t spool_bytes(const KeyInput& input, const BuildOptions& options, std::uint64_t keys) {
  if (input::regular_input_bytes(input.paths)) return 0;
  return (options.ignore_duplicates ? 2 : 1) * kSpoolBytes * keys;
}

}  // namespace

BuildEstimate estimate_mphf(const KeyInput& input, const MphfOptions& mphf,
                            const BuildOptions& options) try {
  const mphf::Algorithm& algorithm = index::find_algorithm(mphf.algorithm);
  index::check_effort(algorithm, mphf.effort);
  index::check_signature_bits(mphf.signature_bits, true);
  (void)index::built_hash(index::key_hash_of(mphf, algorithm), options);
  index::BuildFrame frame(options);
  const input::KeyCount count = input::count_keys(input, frame.context());
  const std::uint64_t output = index_bytes(algorithm, count.keys, mphf.signature_bits);
  return estimate_of(frame, index::mphf_memory(mphf), count.keys, frame.context().threads,
                     spool_bytes(input, options, count.keys), output);
} catch (...) {
  base::rethrow_as_error();
}

BuildEstimate estimate_filter(const KeyInput& input, const FilterOptions& filter,
                              const BuildOptions& options) try {
  const filter::Type& type = filter::find_type(filter);
  (void)index::built_hash(type.key_hash, options);
  index::BuildFrame frame(options);
  const input::KeyCount count = input::count_keys(input, frame.context());
  const std::uint64_t output =
      kFileOverhead + scaled(count.keys, type.plan(count.keys, filter).bits_per_key / 8);
  return estimate_of(frame, index::filter_memory(filter), count.keys, frame.context().threads,
                     spool_bytes(input, options, count.keys), output);
} catch (...) {
  base::rethrow_as_error();
}

BuildEstimate estimate_map(const KeyInput& input, const MapOptions& map,
                           const BuildOptions& options) try {
  const map::Algorithm& algorithm = map::find_algorithm(map);
  index::BuildFrame frame(options);
  const input::KeyCount count = map.values ? input::count_records(input, frame.context())
                                           : input::count_keys(input, frame.context());
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
  return estimate_of(frame, index::map_memory(map, width, options.ignore_duplicates), count.keys,
                     frame.context().threads, spool_bytes(input, options, count.keys), output);
} catch (...) {
  base::rethrow_as_error();
}

BuildEstimate estimate_store(const KeyInput& input, const StoreOptions& store,
                             const BuildOptions& options) try {
  const mphf::Algorithm& algorithm = index::find_algorithm(store.algorithm);
  index::check_signature_bits(store.signature_bits, false);
  index::BuildFrame frame(options);
  records::SizeEstimate environment;
  const input::KeyCount count = input::count_records(
      input, frame.context(),
      [&](std::string_view key, std::string_view record) { environment.add(key, record); });
  const std::uint64_t index = index_bytes(algorithm, count.keys, store.signature_bits);
  const std::uint64_t temporary = count.bytes + kRecordHeader * count.keys;
  const std::uint64_t budget = frame.budget().bytes;
  const double pair_bytes = static_cast<double>(count.bytes) /
                            static_cast<double>(std::max<std::uint64_t>(count.keys, 1));
  const index::MemoryNeed need =
      index::with_records(index::store_memory(store), pair_bytes, budget);
  BuildEstimate estimate = estimate_of(frame, need, count.keys, frame.context().threads, temporary,
                                       index + environment.bytes());
  estimate.memory_bytes += records::RecordSorter::arranged_bytes(temporary, budget);
  return estimate;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
