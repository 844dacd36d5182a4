#include "structures/ribbon/builder.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "base/idle_pool.hpp"
#include "structures/ribbon/header.hpp"
#include "structures/ribbon/partition.hpp"
#include "structures/ribbon/rows.hpp"
#include "structures/ribbon/small_set.hpp"

namespace crivo::ribbon {
namespace {

using retrieval::values_of;
using retrieval::ValueSource;

template <typename Value>
void build_partitioned(const stream::KeySource& hashes, const Header& header,
                       const ValueSource& source, const base::BuildContext& context,
                       base::Sink& sink) {
  const unsigned bits = partition_bits(header.n);
  // Partitions are built in lock step as far as no thread would have nothing to do.
  unsigned together = 0;
  while ((2U << together) <= kLanes &&
         (std::uint64_t{2} << together) <= (std::uint64_t{1} << bits) / context.threads)
    ++together;
  const double part_bytes = header.width.bits / 8.0;
  // Values, a row and a value a slot, what is bumped, and the body.
  const double build_bytes = 2.0 * sizeof(Value) + 12 + part_bytes;
  const std::uint64_t begin = sink.size();
  base::FieldWriter table;
  base::IdlePool<Bands<Value>> bands([] { return std::make_unique<Bands<Value>>(); });
  sink.append(encode(header));
  hashes.for_each_partition(
      bits - together, {build_bytes, part_bytes}, context,
      [&](std::uint64_t group, const stream::KeySlice& keys) {
        std::vector<PartitionInput<Value>> inputs;
        for (std::uint64_t p = group << together; p != (group + 1) << together; ++p) {
          const stream::KeySlice part = keys.partition(bits, p);
          inputs.push_back({part.hashes, values_of<Value>(part, source)});
        }
        auto bodies = build_partitions<Value>(inputs, header, *bands.take());
        context.progress.add(keys.size());
        return bodies;
      },
      [&](std::uint64_t, const std::vector<base::Bytes>& bodies) {
        for (const base::Bytes& body : bodies) {
          sink.align(body_alignment(header.layout, header.width));
          table.u64(sink.size() - begin);
          sink.append(body);
        }
      });
  sink.align(64);
  sink.append(table.zeros(end_padding(header.layout, header.width.bits)).view());
}

void build_small(const stream::KeySource& hashes, unsigned width, const ValueSource& source,
                 const base::BuildContext& context, base::Sink& sink, Layout layout) {
  const stream::KeySlice keys = hashes.whole(context);
  const auto values = values_of<std::uint64_t>(keys, source);
  if (layout == Layout::blocks_of_64) {
    std::vector<Hash128> known(keys.size());
    std::ranges::transform(keys.hashes, known.begin(), of_filter);
    sink.append(build_small_set(known, values, width));
  } else {
    sink.append(build_small_set(keys.hashes, values, width));
  }
  context.progress.add(keys.size());
}

}  // namespace

void build(const stream::KeySource& hashes, Width width, const retrieval::ValueSource& values,
           const base::BuildContext& context, base::Sink& sink, Layout layout) {
  const Header header{layout, width, 0, hashes.size()};
  if (header.n < kSmallSetKeys) {
    build_small(hashes, width.bits, values, context, sink, layout);
  } else if (width.bits <= 8) {
    build_partitioned<std::uint8_t>(hashes, header, values, context, sink);
  } else if (width.bits <= 16) {
    build_partitioned<std::uint16_t>(hashes, header, values, context, sink);
  } else if (width.bits <= 32) {
    build_partitioned<std::uint32_t>(hashes, header, values, context, sink);
  } else {
    build_partitioned<std::uint64_t>(hashes, header, values, context, sink);
  }
}

double bits_per_key(std::uint64_t n, Width width) {
  if (n == 0) return 0;
  if (n >= kSmallSetKeys) {
    // Measured: slots that stay empty and thresholds, in all and at the ends of a partition.
    const auto partition_keys = static_cast<double>(n >> partition_bits(n));
    const double columns = width.bits - std::ldexp(width.narrow, -32);
    return columns * (1.0006 + 90 / partition_keys) + 0.016 + 300 / partition_keys;
  }
  return width.bits * static_cast<double>(small_slots(n)) / static_cast<double>(n);
}

}  // namespace crivo::ribbon
