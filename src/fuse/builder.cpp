#include "fuse/builder.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "crivo/error.hpp"
#include "fuse/header.hpp"
#include "fuse/shard.hpp"
#include "ribbon/builder.hpp"
#include "ribbon/rows.hpp"
#include "ribbon/small_set.hpp"
#include "util/idle_pool.hpp"
#include "util/parallel.hpp"

namespace crivo::fuse {
namespace {

static_assert(kSmallSetKeys <= ribbon::kSmallSetKeys);

/// Sizes that a single shard may try, each 1/32 above the one before.
constexpr unsigned kSizes = 8;

/// The keys of the fullest shard.
std::uint64_t largest_shard(const stream::KeySlice& hashes, unsigned bits) {
  std::uint64_t largest = 0;
  for (std::uint64_t s = 0; s >> bits == 0; ++s) {
    largest = std::max<std::uint64_t>(largest, hashes.partition(bits, s).size());
  }
  return largest;
}

[[noreturn]] void fail_unlike_random() {
  throw Error(ErrorKind::bad_input,
              "the keys' hashes are too unlike random ones for fuse graphs; build with another "
              "--seed");
}

/// A section of one shard. Where a graph cannot be solved, that lies in part with the first slots,
/// which every seed gives to the keys alike; then there must be more of them.
template <typename Value>
void build_one_shard(const stream::KeySlice& keys, unsigned width, Shape shape,
                     const retrieval::ValueSource& source, file::Sink& sink) {
  const std::vector<Value> values = retrieval::values_of<Value>(keys, source);
  for (unsigned size = 0; size < kSizes; ++size) {
    if (const auto image = ShardBuilder<Value>(shape, width).build(keys.hashes, values)) {
      sink.append(encode({width, keys.size(), shape}));
      sink.append(image->slots);
      file::FieldWriter end;
      sink.append(end.u8(static_cast<std::uint8_t>(image->seed)).zeros(kEndPadding).view());
      return;
    }
    shape.segments += util::div_ceil(shape.segments, 32);
  }
  fail_unlike_random();
}

/// A section of several shards, so large that their first slots lie evenly enough.
template <typename Value>
void build_shards(const stream::KeySlice& hashes, unsigned width, const Shape& shape,
                  const retrieval::ValueSource& source, const util::BuildContext& context,
                  file::Sink& sink) {
  util::IdlePool<ShardBuilder<Value>> builders(
      [&] { return std::make_unique<ShardBuilder<Value>>(shape, width); });
  sink.append(encode({width, hashes.size(), shape}));
  file::FieldWriter end;
  util::parallel_ordered(
      context.threads, shape.shards(),
      [&](std::uint64_t shard) {
        const stream::KeySlice keys = hashes.partition(shape.shard_bits, shard);
        auto image = builders.take()->build(keys.hashes, retrieval::values_of<Value>(keys, source));
        if (!image) fail_unlike_random();
        context.progress.add(keys.size());
        return *std::move(image);
      },
      [&](std::uint64_t, const ShardImage& image) {
        sink.append(image.slots);
        end.u8(static_cast<std::uint8_t>(image.seed));
      });
  sink.append(end.zeros(kEndPadding).view());
}

template <typename Value>
void build_graphs(const stream::KeySlice& hashes, unsigned width, unsigned arity,
                  const retrieval::ValueSource& source, const util::BuildContext& context,
                  file::Sink& sink) {
  const unsigned bits = shard_bits(hashes.size());
  const std::uint64_t largest = largest_shard(hashes, bits);
  if (largest > kMaxShardKeys) fail_unlike_random();
  const Shape shape = choose_shape(hashes.size(), arity, largest);
  if (bits != 0) return build_shards<Value>(hashes, width, shape, source, context, sink);
  build_one_shard<Value>(hashes, width, shape, source, sink);
  context.progress.add(hashes.size());
}

}  // namespace

void build(const stream::KeySource& hashes, unsigned width, unsigned arity,
           const retrieval::ValueSource& values, const util::BuildContext& context,
           file::Sink& sink) {
  const std::uint64_t n = hashes.size();
  const stream::KeySlice all = hashes.whole(context);
  if (n < kSmallSetKeys) {
    sink.append(encode({width, n, {arity, 0, 0, 0}}));
    sink.append(ribbon::build_small_set(all.hashes,
                                        retrieval::values_of<std::uint64_t>(all, values), width));
    context.progress.add(n);
  } else if (width <= 8) {
    build_graphs<std::uint8_t>(all, width, arity, values, context, sink);
  } else if (width <= 16) {
    build_graphs<std::uint16_t>(all, width, arity, values, context, sink);
  } else if (width <= 32) {
    build_graphs<std::uint32_t>(all, width, arity, values, context, sink);
  } else {
    build_graphs<std::uint64_t>(all, width, arity, values, context, sink);
  }
}

double bits_per_key(std::uint64_t n, unsigned width, unsigned arity) {
  if (n == 0) return 0;
  if (n < kSmallSetKeys) return ribbon::bits_per_key(n, width);
  const auto keys = static_cast<double>(n);
  const double shards = std::ldexp(1.0, static_cast<int>(shard_bits(n)));
  const double mean = keys / shards;
  // The expected maximum of as many normal variables is near to this.
  const double largest = mean + std::sqrt(2 * std::log(shards) * mean);
  const Shape shape = choose_shape(n, arity, static_cast<std::uint64_t>(largest));
  return width * static_cast<double>(shape.slots()) * shards / keys;
}

}  // namespace crivo::fuse
