#include "fuse/builder.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "crivo/error.hpp"
#include "fuse/header.hpp"
#include "fuse/shard.hpp"
#include "ribbon/rows.hpp"
#include "ribbon/small_set.hpp"
#include "util/idle_pool.hpp"
#include "util/parallel.hpp"

namespace crivo::fuse {
namespace {

static_assert(kSmallSetKeys <= ribbon::kSmallSetKeys);

/// The keys of the fullest shard.
std::uint64_t largest_shard(const keys::SortedHashes& hashes, unsigned bits) {
  std::uint64_t largest = 0;
  for (std::uint64_t s = 0; s >> bits == 0; ++s) {
    largest = std::max<std::uint64_t>(largest, hashes.partition(bits, s).size());
  }
  return largest;
}

template <typename Value>
void build_shards(const keys::SortedHashes& hashes, unsigned width, const Shape& shape,
                  const retrieval::ValueSource& source, const util::BuildContext& context,
                  file::Sink& sink) {
  const Hash128* const first_key = hashes.partition(0, 0).data();
  util::IdlePool<ShardBuilder<Value>> builders(
      [&] { return std::make_unique<ShardBuilder<Value>>(shape, width); });
  file::FieldWriter seeds;
  util::parallel_ordered(
      context.threads, shape.shards(),
      [&](std::uint64_t shard) {
        const auto keys = hashes.partition(shape.shard_bits, shard);
        const auto first = static_cast<std::uint64_t>(keys.data() - first_key);
        ShardImage image =
            builders.take()->build(keys, retrieval::values_of<Value>(keys, first, source));
        context.progress.add(keys.size());
        return image;
      },
      [&](std::uint64_t, const ShardImage& image) {
        sink.append(image.slots);
        seeds.u8(static_cast<std::uint8_t>(image.seed));
      });
  sink.append(seeds.zeros(kEndPadding).view());
}

}  // namespace

void build(const keys::SortedHashes& hashes, unsigned width, unsigned arity,
           const retrieval::ValueSource& values, const util::BuildContext& context,
           file::Sink& sink) {
  const std::uint64_t n = hashes.size();
  if (n < kSmallSetKeys) {
    sink.append(encode({width, n, {arity, 0, 0, 0}}));
    const auto keys = hashes.partition(0, 0);
    sink.append(
        ribbon::build_small_set(keys, retrieval::values_of<std::uint64_t>(keys, 0, values), width));
    context.progress.add(n);
    return;
  }
  const std::uint64_t largest = largest_shard(hashes, shard_bits(n));
  if (largest > kMaxShardKeys) fail_unlike_random();
  const Shape shape = choose_shape(n, arity, largest);
  sink.append(encode({width, n, shape}));
  if (width <= 8) {
    build_shards<std::uint8_t>(hashes, width, shape, values, context, sink);
  } else if (width <= 16) {
    build_shards<std::uint16_t>(hashes, width, shape, values, context, sink);
  } else if (width <= 32) {
    build_shards<std::uint32_t>(hashes, width, shape, values, context, sink);
  } else {
    build_shards<std::uint64_t>(hashes, width, shape, values, context, sink);
  }
}

double bits_per_key(std::uint64_t n, unsigned width, unsigned arity) {
  if (n == 0) return 0;
  const auto keys = static_cast<double>(n);
  if (n < kSmallSetKeys) {
    return width * static_cast<double>(ribbon::small_slots(n)) / keys;
  }
  const double shards = std::ldexp(1.0, static_cast<int>(shard_bits(n)));
  const double mean = keys / shards;
  // The expected maximum of as many normal variables is near to this.
  const double largest = mean + std::sqrt(2 * std::log(shards) * mean);
  const Shape shape = choose_shape(n, arity, static_cast<std::uint64_t>(largest));
  return width * static_cast<double>(shape.slots()) * shards / keys;
}

}  // namespace crivo::fuse
