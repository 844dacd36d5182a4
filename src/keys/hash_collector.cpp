#include "keys/hash_collector.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "keys/partition_sort.hpp"
#include "util/parallel.hpp"

namespace crivo::keys {
namespace {

/// The memory grows by so many blocks at once (32 MiB).
constexpr std::uint64_t kGrowth = 8192;

}  // namespace

void HashCollector::Writer::start_run(Tail& tail, std::uint64_t partition) {
  const std::uint64_t block = collector_.new_block();
  blocks_[partition].push_back(block);
  tail.next = collector_.memory_.data() + block * Run::kMaxHashes;
  tail.end = tail.next + Run::kMaxHashes;
}

HashCollector::HashCollector(unsigned threads) : memory_(HashArray::growing()) {
  for (unsigned t = 0; t < threads; ++t) writers_.emplace_back(new Writer(*this));
}

std::uint64_t HashCollector::new_block() {
  const std::scoped_lock lock(mutex_);
  if (blocks_ % kGrowth == 0) memory_.grow((blocks_ + kGrowth) * Run::kMaxHashes);
  return blocks_++;
}

std::vector<Run> HashCollector::runs_of(std::size_t partition) const {
  std::vector<Run> runs;
  for (const auto& writer : writers_) {
    for (const std::uint64_t block : writer->blocks_[partition]) {
      runs.push_back({block, Run::kMaxHashes});
    }
    if (!writer->blocks_[partition].empty()) {
      const Writer::Tail& tail = writer->tails_[partition];
      runs.back().size -= static_cast<std::uint64_t>(tail.end - tail.next);
    }
  }
  return runs;
}

HashCollector::Result HashCollector::sort(const util::BuildContext& context) {
  struct Part {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    std::uint64_t distinct = 0;
    std::vector<Hash128> repeated;
  };
  std::vector<Part> parts(kPartitions);
  std::vector<std::vector<Run>> runs(kPartitions);
  std::uint64_t largest = 0;
  Result result;
  for (std::size_t p = 0; p < kPartitions; ++p) {
    runs[p] = runs_of(p);
    parts[p].begin = result.collected;
    for (const Run& run : runs[p]) parts[p].size += run.size;
    largest = std::max(largest, parts[p].size);
    result.collected += parts[p].size;
  }

  context.progress.begin("sort", result.collected);
  Hash128* const hashes = memory_.data();
  RunExchange exchange(hashes, blocks_, std::move(runs));
  std::atomic<std::size_t> next{0};
  util::run_threads(context.threads, [&](unsigned) {
    std::vector<Hash128> gathered(largest);
    PartitionSort partition_sort(kPartitionBits);
    for (std::size_t p = next++; p < kPartitions; p = next++) {
      Part& part = parts[p];
      const std::span partition(gathered.data(), part.size);
      const std::span sorted(hashes + part.begin, part.size);
      exchange.gather(p, partition);
      exchange.clear(part.begin, part.begin + part.size);
      partition_sort.sort(partition, sorted);
      part.distinct = drop_repeats(sorted, part.repeated);
      context.progress.add(part.size);
    }
  });

  std::uint64_t size = 0;
  for (Part& part : parts) {
    if (size != part.begin && part.distinct != 0) {
      std::copy_n(hashes + part.begin, part.distinct, hashes + size);
    }
    size += part.distinct;
    result.repeated.insert(result.repeated.end(), part.repeated.begin(), part.repeated.end());
  }
  memory_.shrink(size);
  result.hashes = SortedHashes(std::exchange(memory_, HashArray::growing()), size);
  blocks_ = 0;
  for (auto& writer : writers_) writer.reset(new Writer(*this));
  return result;
}

}  // namespace crivo::keys
