#include "structures/fuse/builder.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "base/idle_pool.hpp"
#include "crivo/error.hpp"
#include "structures/fuse/header.hpp"
#include "structures/fuse/shard.hpp"
#include "structures/ribbon/builder.hpp"
#include "structures/ribbon/rows.hpp"
#include "structures/ribbon/small_set.hpp"

namespace crivo::fuse {
namespace {

static_assert(kSmallSetKeys <= ribbon::kSmallSetKeys);

template <typename Value>
void build_shards(const stream::KeySource& hashes, unsigned width, unsigned arity,
                  const retrieval::ValueSource& source, const base::BuildContext& context,
                  base::Sink& sink, HashPart part) {
  const std::uint64_t n = hashes.size();
  const Shape shape = choose_shape(n, arity);
  base::IdlePool<ShardBuilder<Value>> builders(
      [&] { return std::make_unique<ShardBuilder<Value>>(shape, width, part); });
  sink.append(encode({width, n, shape}));
  base::FieldWriter table;
  // At most 5/4 slots a key, but for shards that had to grow.
  const stream::PartCost cost{23 + 2.25 * sizeof(Value), 1.25 / 8 * width};
  hashes.for_each_partition(
      shape.shard_bits, cost, context,
      [&](std::uint64_t, const stream::KeySlice& keys) {
        std::optional<ShardImage> image;
        if (keys.size() <= kMaxShardKeys) {
          image = builders.take()->build(keys.hashes, retrieval::values_of<Value>(keys, source),
                                         choose_segments(n, arity, keys.size()));
        }
        if (!image) {
          throw Error(ErrorKind::bad_input,
                      "the keys' hashes are too unlike random ones for fuse graphs; build with "
                      "another --seed");
        }
        context.progress.add(keys.size());
        return *std::move(image);
      },
      [&](std::uint64_t, const ShardImage& image) {
        sink.append(image.slots);
        table.u32(encode_shard(image.segments, image.seed));
      });
  sink.append(table.zeros(kEndPadding).view());
}

}  // namespace

void build(const stream::KeySource& hashes, unsigned width, unsigned arity,
           const retrieval::ValueSource& values, const base::BuildContext& context,
           base::Sink& sink, HashPart part) {
  const std::uint64_t n = hashes.size();
  if (n < kSmallSetKeys) {
    const stream::KeySlice all = hashes.whole(context);
    sink.append(encode({width, n, {arity, 0, 0}}));
    std::vector<Hash128> known(all.hashes.begin(), all.hashes.end());
    if (part == HashPart::first_half)
      std::ranges::transform(known, known.begin(), ribbon::of_filter);
    sink.append(
        ribbon::build_small_set(known, retrieval::values_of<std::uint64_t>(all, values), width));
    context.progress.add(n);
  } else if (width <= 8) {
    build_shards<std::uint8_t>(hashes, width, arity, values, context, sink, part);
  } else if (width <= 16) {
    build_shards<std::uint16_t>(hashes, width, arity, values, context, sink, part);
  } else if (width <= 32) {
    build_shards<std::uint32_t>(hashes, width, arity, values, context, sink, part);
  } else {
    build_shards<std::uint64_t>(hashes, width, arity, values, context, sink, part);
  }
}

double bits_per_key(std::uint64_t n, unsigned width, unsigned arity) {
  if (n == 0) return 0;
  if (n < kSmallSetKeys) return ribbon::bits_per_key(n, width);
  const Shape shape = choose_shape(n, arity);
  const std::uint64_t segments = choose_segments(n, arity, n >> shape.shard_bits);
  const double shard = static_cast<double>(shape.slots(segments)) * width + 8 * kTableEntryBytes;
  return shard * static_cast<double>(shape.shards()) / static_cast<double>(n);
}

}  // namespace crivo::fuse
