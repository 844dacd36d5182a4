// SPDX-License-Identifier: Apache-2.0
#include "structures/build/assembly.hpp"

#include <algorithm>
#include <utility>

#include "crivo/error.hpp"
#include "stream/key_spread.hpp"
#include "structures/build/build_cost.hpp"

namespace crivo {
namespace {

using WideProduct = unsigned __int128;

}  // namespace

stream::PartitionRun run_of_shard(unsigned bits, std::uint64_t index,
                                  std::uint64_t shards) noexcept {
  const auto border = [&](std::uint64_t shard) {
    return static_cast<std::uint64_t>(((WideProduct{shard} << bits) + shards - 1) / shards);
  };
  return {border(index), border(index + 1)};
}

void build_parts(const Assembly& assembly, const stream::HashSource& keys,
                 const stream::PartitionRun& run, const base::BuildContext& context,
                 const std::function<void(std::uint64_t partitions, Part part)>& use,
                 const MakePart& make) {
  if (!make && assembly.takes_slices() && keys.has_slices(assembly.partition_bits())) {
    keys.for_each_sliced_partition(
        assembly.partition_bits(), run, assembly.cost(), context,
        [&](std::uint64_t index, const stream::SlicedPartition& some) {
          Part part = assembly.build_sliced_part(index, some);
          context.progress.add(some.size());
          return part;
        },
        [&](std::uint64_t, Part part) { use(1, std::move(part)); });
    return;
  }
  // Built together as far as no thread would have nothing to do.
  unsigned together = 0;
  while (together < assembly.together_bits() && (run.size() >> (together + 1)) >= context.threads)
    ++together;
  const auto build_some = [&](unsigned power, std::uint64_t begin, std::uint64_t end) {
    const unsigned bits = assembly.partition_bits() - power;
    keys.for_each_partition(
        bits, {begin >> power, end >> power}, assembly.cost(), context,
        [&](std::uint64_t index, const stream::KeySlice& some) {
          Part part = make ? make(bits, index, some) : assembly.build_part(bits, index, some);
          context.progress.add(some.size());
          return part;
        },
        [&](std::uint64_t, Part part) { use(std::uint64_t{1} << power, std::move(part)); });
  };
  // Runs of partitions that are built together begin at multiples of their number.
  const std::uint64_t unit = std::uint64_t{1} << together;
  const std::uint64_t first = std::min((run.begin + unit - 1) / unit * unit, run.end);
  const std::uint64_t last = std::max(first, run.end / unit * unit);
  build_some(0, run.begin, first);
  build_some(together, first, last);
  build_some(0, last, run.end);
}

void build(Assembly& assembly, const stream::HashSource& keys, const base::BuildContext& context,
           base::Sink& sink, const std::function<void(const Part& part)>& visit) {
  assembly.begin(context, sink);
  build_parts(assembly, keys, {0, std::uint64_t{1} << assembly.partition_bits()}, context,
              [&](std::uint64_t, const Part& part) {
                assembly.join({part.body, part.notes}, sink);
                if (visit) visit(part);
              });
  assembly.finish(context, sink);
}

void check_growth(std::uint64_t n, double bytes, double usual_bytes) {
  if (n <= stream::KeySpread::kAnyKeys || bytes <= usual_bytes * 5 / 4) return;
  throw Error(ErrorKind::bad_input,
              "the keys' hashes lie closer together than by chance, and would make the file far "
              "larger than of other keys; hash them under a random seed",
              {.remedy = "keyed_hash"});
}

}  // namespace crivo
