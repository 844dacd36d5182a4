#include "structures/ribbon/builder.hpp"

#include <algorithm>
#include <vector>

#include "structures/ribbon/header.hpp"
#include "structures/ribbon/partition.hpp"
#include "structures/ribbon/rows.hpp"
#include "structures/ribbon/small_set.hpp"

namespace crivo::ribbon {
namespace {

using retrieval::values_of;
using retrieval::ValueSource;

template <typename Value>
void build_partitioned(const stream::KeySource& hashes, unsigned width, const ValueSource& source,
                       const base::BuildContext& context, base::Sink& sink, Layout layout) {
  const unsigned bits = partition_bits(hashes.size());
  // Partitions are built in lock step as far as no thread would have nothing to do.
  unsigned together = 0;
  while ((2U << together) <= kLanes &&
         (std::uint64_t{2} << together) <= (std::uint64_t{1} << bits) / context.threads)
    ++together;
  const double part_bytes = width / 8.0;
  // Values, a row and a value a slot, what is bumped, and the image.
  const double build_bytes = 2.0 * sizeof(Value) + 12 + part_bytes;
  base::FieldWriter table;
  sink.append(encode({layout, width, 0, hashes.size()}));
  hashes.for_each_partition(
      bits - together, {build_bytes, part_bytes}, context,
      [&](std::uint64_t group, const stream::KeySlice& keys) {
        std::vector<PartitionInput<Value>> inputs;
        for (std::uint64_t p = group << together; p != (group + 1) << together; ++p) {
          const stream::KeySlice part = keys.partition(bits, p);
          inputs.push_back({part.hashes, values_of<Value>(part, source)});
        }
        auto images = build_partitions<Value>(inputs, bits, width, layout);
        context.progress.add(keys.size());
        return images;
      },
      [&](std::uint64_t, const std::vector<PartitionImage>& images) {
        for (const PartitionImage& image : images) {
          sink.align(body_alignment(layout, width));
          sink.append(image.body);
          for (const std::uint32_t words : image.words) table.u32(words);
        }
      });
  sink.align(64);
  sink.append(table.zeros(end_padding(layout, width)).view());
}

void build_small(const stream::KeySource& hashes, unsigned width, const ValueSource& source,
                 const base::BuildContext& context, base::Sink& sink) {
  const stream::KeySlice keys = hashes.whole(context);
  sink.append(build_small_set(keys.hashes, values_of<std::uint64_t>(keys, source), width));
  context.progress.add(keys.size());
}

}  // namespace

void build(const stream::KeySource& hashes, unsigned width, const retrieval::ValueSource& values,
           const base::BuildContext& context, base::Sink& sink, Layout layout) {
  if (hashes.size() < kSmallSetKeys) {
    build_small(hashes, width, values, context, sink);
  } else if (width <= 8) {
    build_partitioned<std::uint8_t>(hashes, width, values, context, sink, layout);
  } else if (width <= 16) {
    build_partitioned<std::uint16_t>(hashes, width, values, context, sink, layout);
  } else if (width <= 32) {
    build_partitioned<std::uint32_t>(hashes, width, values, context, sink, layout);
  } else {
    build_partitioned<std::uint64_t>(hashes, width, values, context, sink, layout);
  }
}

double bits_per_key(std::uint64_t n, unsigned width) {
  if (n == 0) return 0;
  if (n >= kSmallSetKeys) {
    // Measured: slots that stay empty and thresholds, in all and at the ends of a partition.
    const auto partition_keys = static_cast<double>(n >> partition_bits(n));
    return width * (1.0006 + 90 / partition_keys) + 0.016 + 300 / partition_keys;
  }
  return width * static_cast<double>(small_slots(n)) / static_cast<double>(n);
}

}  // namespace crivo::ribbon
