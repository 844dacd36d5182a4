#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "consensus/boundaries.hpp"
#include "consensus/consensus.hpp"
#include "consensus/segment.hpp"
#include "crivo/error.hpp"
#include "mphf/phast.hpp"
#include "stream/sorted_hashes.hpp"
#include "util/idle_pool.hpp"
#include "util/parallel.hpp"

namespace crivo::consensus {
namespace {

constexpr unsigned kMaxSpread = 3;

stream::SortedHashes spread_all(std::span<const Hash128> hashes, unsigned spread) {
  std::vector<Hash128> all;
  all.reserve(hashes.size());
  for (const Hash128& hash : hashes) all.push_back(spread_hash(hash, spread));
  return stream::SortedHashes::from_unsorted(std::move(all));
}

/// Hashes without the progress of those that they are a part of.
void write_rest(std::span<const Hash128> rest, file::Sink& sink) {
  util::Progress silent;
  const stream::SortedHashes keys(std::vector<Hash128>(rest.begin(), rest.end()));
  mphf::build_phast(mphf::kFast, keys, {1, silent}, sink);
}

}  // namespace

void build(const Parameters& parameters, const stream::KeySource& hashes,
           const util::BuildContext& context, file::Sink& sink) {
  const Shape& shape = parameters.shape;
  const std::uint64_t n = hashes.size();
  if (n > kMaxKeys)
    throw Error(ErrorKind::bad_input, "more than 2^48 keys; split them into shards");
  context.progress.begin("mphf", n);
  const std::uint64_t buckets = n >> shape.log_keys;

  const std::span<const Hash128> given = hashes.whole(context).hashes;
  stream::SortedHashes spread_hashes;
  std::span<const Hash128> all = given;
  file::MemorySink boundaries;
  unsigned spread = 0;
  while (buckets != 0 && !Boundaries::write(all, shape.log_keys, boundaries)) {
    if (++spread > kMaxSpread) {
      throw Error(ErrorKind::bad_input,
                  "no perfect hash function was found: the keys' hashes are spread too unevenly; "
                  "try another --seed");
    }
    spread_hashes = spread_all(given, spread);
    all = spread_hashes.all().hashes;
  }

  file::FieldWriter head;
  head.u64(n).u8(static_cast<std::uint8_t>(shape.log_keys)).u8(static_cast<std::uint8_t>(spread));
  for (unsigned level = 0; level < shape.levels(); ++level) head.u16(shape.areas[level]);
  head.align(8);
  sink.append(head.view());
  sink.append(boundaries.view());

  const std::uint64_t segment_buckets = std::uint64_t{1} << shape.buckets_a_segment_log();
  const std::uint64_t segments = util::div_ceil(buckets, segment_buckets);
  file::Bytes salts;
  file::Bytes trees;
  trees.reserve(buckets * (shape.tree_bits() / 8));
  util::IdlePool<SegmentBuilder> builders(
      [&] { return std::make_unique<SegmentBuilder>(parameters); });
  util::parallel_ordered(
      context.threads, segments,
      [&](std::uint64_t s) {
        const std::uint64_t first = s << kLogSegmentKeys;
        const std::uint64_t last =
            std::min(first + (std::uint64_t{1} << kLogSegmentKeys), buckets << shape.log_keys);
        const auto builder = builders.take();
        return builder->build(all.subspan(first, last - first));
      },
      [&](std::uint64_t, const Segment& segment) {
        sink.append(segment.columns);
        trees.insert(trees.end(), segment.trees.begin(), segment.trees.end());
        salts.push_back(static_cast<std::byte>(segment.salt));
        context.progress.add(segment.trees.size() / (shape.tree_bits() / 8) << shape.log_keys);
      });
  sink.append(salts);
  sink.align(8);
  sink.append(trees);
  // A window is read with up to seven bytes after it.
  sink.append(file::FieldWriter().zeros(trees.empty() ? 0 : 7).view());
  sink.align(8);

  const auto rest = all.subspan(buckets << shape.log_keys);
  if (!rest.empty()) write_rest(rest, sink);
  context.progress.add(rest.size());
}

}  // namespace crivo::consensus
