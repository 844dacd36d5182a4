#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "crivo/error.hpp"
#include "mphf/elias_fano.hpp"
#include "mphf/packed.hpp"
#include "mphf/partition_builder.hpp"
#include "mphf/phast.hpp"
#include "mphf/small_set.hpp"
#include "stream/sorted_hashes.hpp"
#include "util/idle_pool.hpp"
#include "util/parallel.hpp"

namespace crivo::mphf {
namespace {

/// Writes level `level` of `hashes` and returns the hashes that it bumps, for the next one, in a
/// list per partition.
std::vector<std::vector<Hash128>> write_level(const Parameters& parameters,
                                              const stream::KeySlice& hashes, unsigned level,
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
        return builders.take()->build(hashes.partition(shape.partition_bits, p).hashes);
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
stream::SortedHashes sort(const std::vector<std::vector<Hash128>>& lists) {
  std::vector<Hash128> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  const std::size_t size = all.size();
  stream::SortedHashes sorted = stream::SortedHashes::from_unsorted(std::move(all));
  if (sorted.size() != size) {
    throw Error(ErrorKind::bad_input,
                "no perfect hash function was found: keys have equal hashes; try another --seed");
  }
  return sorted;
}

}  // namespace

void build_phast(const Parameters& parameters, const stream::KeySource& hashes,
                 const util::BuildContext& context, file::Sink& sink) {
  const std::uint64_t n = hashes.size();
  if (n > kMaxKeys)
    throw Error(ErrorKind::bad_input, "more than 2^40 keys; split them into shards");
  context.progress.begin("mphf", n);
  file::FieldWriter head;
  head.u64(n).u8(static_cast<std::uint8_t>(parameters.seed_bits)).zeros(7);
  sink.append(head.view());

  stream::SortedHashes bumped;
  stream::KeySlice rest = hashes.whole(context);
  for (unsigned level = 0; rest.size() > kSmallSetKeys; ++level) {
    if (level == kMaxLevels) {
      throw Error(ErrorKind::bad_input,
                  "no perfect hash function was found: " + std::to_string(rest.size()) +
                      " keys collide at every level; try another --seed");
    }
    bumped = sort(write_level(parameters, rest, level, context, sink));
    rest = bumped.all();
  }
  if (rest.size() != 0) SmallSet::write(rest.hashes, sink);
  if (n <= kSmallSetKeys) context.progress.add(n);
}

}  // namespace crivo::mphf
