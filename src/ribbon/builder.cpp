#include "ribbon/builder.hpp"

#include <algorithm>
#include <vector>

#include "ribbon/header.hpp"
#include "ribbon/partition.hpp"
#include "ribbon/rows.hpp"
#include "ribbon/small_set.hpp"
#include "util/parallel.hpp"

namespace crivo::ribbon {
namespace {

using retrieval::values_of;
using retrieval::ValueSource;

template <typename Value>
void build_partitioned(const keys::SortedHashes& hashes, unsigned width, const ValueSource& source,
                       const util::BuildContext& context, file::Sink& sink, Layout layout) {
  const unsigned bits = partition_bits(hashes.size());
  const std::uint64_t partitions = std::uint64_t{1} << bits;
  const Hash128* const first_key = hashes.partition(0, 0).data();
  // Lock step is worth less than a thread that would have nothing to do.
  const std::uint64_t together = std::clamp<std::uint64_t>(partitions / context.threads, 1, kLanes);
  file::FieldWriter table;
  sink.append(encode({layout, width, 0, hashes.size()}));
  util::parallel_ordered(
      context.threads, util::div_ceil(partitions, together),
      [&](std::uint64_t group) {
        std::vector<PartitionInput<Value>> inputs;
        const std::uint64_t end = std::min(partitions, (group + 1) * together);
        std::uint64_t keys = 0;
        for (std::uint64_t p = group * together; p < end; ++p) {
          const auto part = hashes.partition(bits, p);
          const auto first = static_cast<std::uint64_t>(part.data() - first_key);
          inputs.push_back({part, values_of<Value>(part, first, source)});
          keys += part.size();
        }
        auto images = build_partitions<Value>(inputs, bits, width, layout);
        context.progress.add(keys);
        return images;
      },
      [&](std::uint64_t, const std::vector<PartitionImage>& images) {
        for (const PartitionImage& image : images) {
          sink.align(64);
          sink.append(image.body);
          for (const std::uint64_t slots : image.slots) table.u64(slots);
        }
      });
  sink.align(64);
  sink.append(table.zeros(end_padding(layout, width)).view());
}

void build_small(const keys::SortedHashes& hashes, unsigned width, const ValueSource& source,
                 const util::BuildContext& context, file::Sink& sink) {
  const auto keys = hashes.partition(0, 0);
  sink.append(build_small_set(keys, values_of<std::uint64_t>(keys, 0, source), width));
  context.progress.add(keys.size());
}

}  // namespace

void build(const keys::SortedHashes& hashes, unsigned width, const retrieval::ValueSource& values,
           const util::BuildContext& context, file::Sink& sink, Layout layout) {
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
  // Measured from kSmallSetKeys on: slots that stay empty, and thresholds (formats/ribbon.md).
  constexpr double kSpareSlots = 0.001;
  constexpr double kThresholdBits = 0.016;
  if (n == 0) return 0;
  if (n >= kSmallSetKeys) return width * (1 + kSpareSlots) + kThresholdBits;
  return width * static_cast<double>(small_slots(n)) / static_cast<double>(n);
}

}  // namespace crivo::ribbon
