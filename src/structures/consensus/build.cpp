#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/idle_pool.hpp"
#include "crivo/error.hpp"
#include "stream/sorted_hashes.hpp"
#include "structures/consensus/consensus.hpp"
#include "structures/consensus/part.hpp"
#include "structures/phast/phast.hpp"

namespace crivo::consensus {
namespace {

/// A row and a value a pair, and the part; the part, and what is left over.
constexpr stream::PartCost kPartCost{5, 0.4};

base::Bytes encode_header(const Shape& shape, std::uint64_t n) {
  base::FieldWriter header;
  header.u64(n).u8(static_cast<std::uint8_t>(shape.log_keys)).zeros(1);
  for (unsigned level = 0; level < shape.levels(); ++level) header.u16(shape.areas[level]);
  return header.align(8).take();
}

void write_entry(const PartEntry& entry, base::FieldWriter& table) {
  const Boundaries::Sizes& boundaries = entry.boundaries;
  for (std::size_t a = 1; a < boundaries.anchors.size(); ++a) table.u32(boundaries.anchors[a]);
  table.u16(boundaries.buckets).u16(boundaries.exceptions).u8(entry.salt).zeros(3);
}

/// Without the progress of the set that the hashes are a part of.
void write_rest(std::vector<Hash128> rest, unsigned threads, base::Sink& sink) {
  std::ranges::transform(rest, rest.begin(), rest_hash);
  std::ranges::sort(rest);
  base::Progress silent;
  (void)phast::build_phast(phast::kFast, stream::SortedHashes(std::move(rest)), false,
                           {threads, silent}, sink);
}

}  // namespace

void build(const Parameters& parameters, const stream::KeySource& hashes,
           const base::BuildContext& context, base::Sink& sink) {
  const std::uint64_t n = hashes.size();
  if (n > kMaxKeys)
    throw Error(ErrorKind::bad_input, "more than 2^48 keys; split them into shards");
  context.progress.begin("mphf", n);
  const Spacing spacing{parameters.shape.log_keys, partition_bits(n)};
  sink.append(encode_header(parameters.shape, n));
  base::FieldWriter table;
  std::vector<Hash128> rest;
  base::IdlePool<PartBuilder> builders(
      [&] { return std::make_unique<PartBuilder>(parameters, spacing); });
  hashes.for_each_partition(
      spacing.partition_bits, kPartCost, context,
      [&](std::uint64_t, const stream::KeySlice& keys) {
        Part part = builders.take()->build(keys.hashes);
        context.progress.add(keys.size());
        return part;
      },
      [&](std::uint64_t, const Part& part) {
        sink.append(part.bytes);
        write_entry(part.entry, table);
        rest.insert(rest.end(), part.rest.begin(), part.rest.end());
      });
  if (!rest.empty()) write_rest(std::move(rest), context.threads, sink);
  sink.append(table.view());
}

}  // namespace crivo::consensus
