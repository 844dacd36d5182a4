#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/idle_pool.hpp"
#include "bits/elias_fano.hpp"
#include "bits/packed.hpp"
#include "crivo/error.hpp"
#include "stream/streamed_keys.hpp"
#include "structures/phast/partition_builder.hpp"
#include "structures/phast/phast.hpp"
#include "structures/phast/small_set.hpp"

namespace crivo::phast {
namespace {

/// The keys that a level leaves to the next one, in memory: some 18 bytes each. A lease throws
/// stream::RepeatedHashes if two are equal.
using BumpedKeys = stream::GatheredKeys<Hash128>;

/// Writes level `level` of `keys` and returns those that it bumps, with their hashes of the next.
std::unique_ptr<BumpedKeys> write_level(const Parameters& parameters, const stream::KeySource& keys,
                                        unsigned level, const base::BuildContext& context,
                                        base::Sink& sink) {
  const LevelShape shape = level_shape(parameters, keys.size());
  base::FieldWriter head;
  head.u32(shape.buckets).u8(static_cast<std::uint8_t>(shape.slice_bits));
  head.u8(static_cast<std::uint8_t>(shape.partition_bits)).zeros(2);
  sink.append(head.view());

  const std::uint64_t expected = keys.size() / 64;  // bumped keys, and as many holes
  std::vector<std::uint64_t> holes;
  holes.reserve(expected);
  auto bumped = std::make_unique<BumpedKeys>(1, stream::partition_bits_for(expected));
  base::IdlePool<PartitionBuilder> builders(
      [&] { return std::make_unique<PartitionBuilder>(parameters, shape); });
  keys.for_each_partition(
      shape.partition_bits, {PartitionBuilder::kBuildBytes, PartitionBuilder::kResultBytes},
      context,
      [&](std::uint64_t p, const stream::KeySlice& part) {
        return builders.take()->build(p, part.hashes);
      },
      [&](std::uint64_t p, const PartitionResult& result) {
        sink.append(result.seeds);
        for (const std::uint32_t hole : result.holes) holes.push_back(shape.first_value(p) + hole);
        for (const Hash128& hash : result.bumped)
          bumped->writer(0).add(next_level(hash, level + 1));
        if (level == 0) context.progress.add(result.keys);
      });
  const std::uint64_t seed_bits = shape.total_buckets() * parameters.seed_bits;
  sink.append(base::FieldWriter().zeros(bits::padded_bytes(seed_bits) - seed_bits / 8).view());
  bits::EliasFano::write(holes, shape.keys, sink);
  bumped->finish();
  return bumped;
}

/// The hashes that the keys of level 1 had before.
std::vector<Hash128> hashes_of(const BumpedKeys& bumped, const base::BuildContext& context) {
  std::vector<Hash128> hashes;
  hashes.reserve(bumped.keys().size());
  std::mutex mutex;
  bumped.keys().for_each({}, context, [&](const stream::KeySlice& keys) {
    const std::scoped_lock lock(mutex);
    for (const Hash128& hash : keys.hashes) hashes.push_back(previous_level(hash, 1));
  });
  return hashes;
}

/// Writes the levels from 1 on.
void write_bumped(const Parameters& parameters, const BumpedKeys& first,
                  const base::BuildContext& context, base::Sink& sink) try {
  std::unique_ptr<const BumpedKeys> bumped;
  const BumpedKeys* rest = &first;
  for (unsigned level = 1; rest->keys().size() > kSmallSetKeys; ++level) {
    if (level == kMaxLevels) {
      throw Error(ErrorKind::bad_input,
                  "no perfect hash function was found: " + std::to_string(rest->keys().size()) +
                      " keys collide at every level; try another --seed");
    }
    bumped = write_level(parameters, rest->keys(), level, context, sink);
    rest = bumped.get();
  }
  if (rest->keys().size() != 0) SmallSet::write(rest->keys().whole(context).hashes, sink);
} catch (const stream::RepeatedHashes&) {  // which distinct hashes do not become
  throw Error(ErrorKind::bad_input,
              "no perfect hash function was found: keys have equal hashes; try another --seed");
}

}  // namespace

std::vector<Hash128> build_phast(const Parameters& parameters, const stream::KeySource& hashes,
                                 bool wants_strays, const base::BuildContext& context,
                                 base::Sink& sink) {
  const std::uint64_t n = hashes.size();
  if (n > kMaxKeys)
    throw Error(ErrorKind::bad_input, "more than 2^40 keys; split them into shards");
  context.progress.begin("mphf", n);
  base::FieldWriter head;
  head.u64(n).u8(static_cast<std::uint8_t>(parameters.seed_bits)).zeros(7);
  sink.append(head.view());
  if (n <= kSmallSetKeys) {
    if (n != 0) SmallSet::write(hashes.whole(context).hashes, sink);
    context.progress.add(n);
    return {};
  }
  const auto bumped = write_level(parameters, hashes, 0, context, sink);
  write_bumped(parameters, *bumped, context, sink);
  return wants_strays ? hashes_of(*bumped, context) : std::vector<Hash128>();
}

}  // namespace crivo::phast
