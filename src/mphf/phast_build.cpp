#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "crivo/error.hpp"
#include "keys/hash_collector.hpp"
#include "mphf/elias_fano.hpp"
#include "mphf/packed.hpp"
#include "mphf/partition_builder.hpp"
#include "mphf/phast.hpp"
#include "mphf/small_set.hpp"
#include "util/idle_pool.hpp"
#include "util/parallel.hpp"

namespace crivo::mphf {
namespace {

/// Writes level `level` of `hashes` and returns the hashes that it bumps, for the next one, in a
/// list per partition.
std::vector<std::vector<Hash128>> write_level(const Parameters& parameters,
                                              const keys::SortedHashes& hashes, unsigned level,
                                              const util::BuildContext& context, file::Sink& sink) {
  const LevelShape shape = level_shape(parameters, hashes.size());
  file::FieldWriter head;
  head.u32(shape.buckets).u16(static_cast<std::uint16_t>(shape.slice_length));
  head.u8(static_cast<std::uint8_t>(shape.partition_bits)).zeros(1);
  std::vector<std::uint64_t> offsets(shape.partitions() + 1);
  for (std::uint64_t p = 0; p < shape.partitions(); ++p) {
    offsets[p + 1] = offsets[p] + hashes.partition(shape.partition_bits, p).size();
  }
  for (const std::uint64_t offset : offsets) head.u64(offset);
  sink.append(head.view());

  std::vector<std::uint64_t> holes;
  std::vector<std::vector<Hash128>> bumped;
  util::IdlePool<PartitionBuilder> builders(
      [&] { return std::make_unique<PartitionBuilder>(parameters, shape, level); });
  util::parallel_ordered(
      context.threads, shape.partitions(),
      [&](std::uint64_t p) {
        return builders.take()->build(hashes.partition(shape.partition_bits, p));
      },
      [&](std::uint64_t p, PartitionResult result) {
        sink.append(result.seeds);
        for (const std::uint32_t hole : result.holes) holes.push_back(offsets[p] + hole);
        bumped.push_back(std::move(result.bumped));
        if (level == 0) context.progress.add(result.keys);
      });
  const std::uint64_t seed_bits = shape.total_buckets() * parameters.seed_bits;
  sink.append(file::FieldWriter().zeros(padded_bytes(seed_bits) - seed_bits / 8).view());
  EliasFano::write(holes, shape.keys, sink);
  return bumped;
}

/// The hashes of all lists in order. Throws Error(bad_input) if two are equal, which distinct
/// hashes of a level before do not make them.
keys::SortedHashes sort(const std::vector<std::vector<Hash128>>& lists, unsigned threads) {
  constexpr std::uint64_t kWorthThreads = 50'000;
  std::uint64_t size = 0;
  for (const auto& list : lists) size += list.size();
  if (size < kWorthThreads) threads = 1;
  keys::HashCollector collector(threads);
  std::atomic<std::size_t> next{0};
  util::run_threads(threads, [&](unsigned thread) {
    keys::HashCollector::Writer& writer = collector.writer(thread);
    for (std::size_t i = next++; i < lists.size(); i = next++) {
      for (const Hash128& hash : lists[i]) writer.add(hash);
    }
  });
  util::Progress silent;
  keys::HashCollector::Result sorted = collector.sort({threads, silent});
  if (!sorted.repeated.empty()) {
    throw Error(ErrorKind::bad_input,
                "no perfect hash function was found: keys have equal hashes; try another --seed");
  }
  return std::move(sorted.hashes);
}

}  // namespace

void build_phast(const Parameters& parameters, const keys::SortedHashes& hashes,
                 const util::BuildContext& context, file::Sink& sink) {
  const std::uint64_t n = hashes.size();
  if (n > kMaxKeys)
    throw Error(ErrorKind::bad_input, "more than 2^40 keys; split them into shards");
  context.progress.begin("mphf", n);
  file::FieldWriter head;
  head.u64(n).u8(static_cast<std::uint8_t>(parameters.seed_bits)).zeros(7);
  sink.append(head.view());

  keys::SortedHashes bumped;
  const keys::SortedHashes* level_hashes = &hashes;
  for (unsigned level = 0; level_hashes->size() > kSmallSetKeys; ++level) {
    if (level == kMaxLevels) {
      throw Error(ErrorKind::bad_input,
                  "no perfect hash function was found: " + std::to_string(level_hashes->size()) +
                      " keys collide at every level; try another --seed");
    }
    bumped = sort(write_level(parameters, *level_hashes, level, context, sink), context.threads);
    level_hashes = &bumped;
  }
  const std::span<const Hash128> rest = level_hashes->partition(0, 0);
  if (!rest.empty()) SmallSet::write(rest, sink);
  if (n <= kSmallSetKeys) context.progress.add(n);
}

}  // namespace crivo::mphf
