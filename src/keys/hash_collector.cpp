#include "keys/hash_collector.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "crivo/error.hpp"
#include "util/bits.hpp"
#include "util/parallel.hpp"

namespace crivo::keys {
namespace {

constexpr std::size_t kRunHashes = 1024;  // 16 KiB: whole pages, so that they can be given back
constexpr std::size_t kRunBytes = kRunHashes * sizeof(Hash128);
constexpr std::size_t kSlabBytes = 256 * kRunBytes;

/// What one thread needs to sort partitions, reused from one to the next.
struct SortScratch {
  std::vector<std::uint64_t> bucket_ends;
};

/// Sorts by insertion; linear where every element is close to its place.
void insertion_sort(std::span<Hash128> hashes) {
  for (std::size_t i = 1; i < hashes.size(); ++i) {
    const Hash128 moving = hashes[i];
    std::size_t to = i;
    for (; to != 0 && moving < hashes[to - 1]; --to) hashes[to] = hashes[to - 1];
    hashes[to] = moving;
  }
}

/// One counting pass on the bits after the partition's, which leaves a few hashes a bucket, then
/// insertion. Buckets that are large all the same (hashes chosen by an adversary) are sorted apart.
template <typename Run>
void sort_partition(const std::vector<Run>& runs, std::span<Hash128> sorted, SortScratch& scratch) {
  constexpr std::size_t kLargeBucket = 64;
  constexpr unsigned kMaxBucketBits = 20;
  const unsigned width = static_cast<unsigned>(std::bit_width(sorted.size()));
  const unsigned bits = std::min(width > 2 ? width - 2 : 0, kMaxBucketBits);
  const auto bucket_of = [&](const Hash128& hash) {
    return util::top_bits(hash.hi << HashCollector::kPartitionBits, bits);
  };
  std::vector<std::uint64_t>& ends = scratch.bucket_ends;
  ends.assign(std::size_t{1} << bits, 0);
  for (const Run& run : runs) {
    for (const Hash128& hash : std::span(run.begin, run.size)) ++ends[bucket_of(hash)];
  }
  std::uint64_t begin = 0;
  bool large = false;
  for (std::uint64_t& end : ends) {
    large |= end > kLargeBucket;
    begin += std::exchange(end, begin);
  }
  for (const Run& run : runs) {
    for (const Hash128& hash : std::span(run.begin, run.size)) sorted[ends[bucket_of(hash)]++] = hash;
  }
  if (large) {
    begin = 0;
    for (const std::uint64_t end : ends) {
      if (end - begin > kLargeBucket) std::ranges::sort(sorted.subspan(begin, end - begin));
      begin = end;
    }
  }
  insertion_sort(sorted);
}

/// Drops the repeats in `sorted` and notes each repeated hash once; returns how many are left.
std::uint64_t drop_repeats(std::span<Hash128> sorted, std::vector<Hash128>& repeated) {
  const auto first = std::ranges::adjacent_find(sorted);
  if (first == sorted.end()) return sorted.size();
  auto kept = static_cast<std::size_t>(first - sorted.begin());
  for (std::size_t i = kept + 1; i < sorted.size(); ++i) {
    if (sorted[i] != sorted[kept]) {
      sorted[++kept] = sorted[i];
    } else if (repeated.empty() || repeated.back() != sorted[i]) {
      repeated.push_back(sorted[i]);
    }
  }
  return kept + 1;
}

}  // namespace

void HashCollector::Writer::start_run(Tail& tail, std::uint64_t partition) {
  tail.next = collector_.new_run();
  tail.end = tail.next + kRunHashes;
  runs_[partition].push_back(tail.next);
}

HashCollector::HashCollector(unsigned threads) {
  for (unsigned t = 0; t < threads; ++t) writers_.emplace_back(new Writer(*this));
}

HashCollector::~HashCollector() {
  for (void* slab : slabs_) ::munmap(slab, kSlabBytes);
}

Hash128* HashCollector::new_run() {
  const std::scoped_lock lock(mutex_);
  if (slabs_.empty() || slab_used_ == kSlabBytes) {
    void* slab = ::mmap(nullptr, kSlabBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (slab == MAP_FAILED) throw Error(ErrorKind::io, "no memory for the hashes of the keys");
    slabs_.push_back(slab);
    slab_used_ = 0;
  }
  auto* run = static_cast<std::byte*>(slabs_.back()) + slab_used_;
  slab_used_ += kRunBytes;
  return reinterpret_cast<Hash128*>(run);
}

std::vector<HashCollector::Run> HashCollector::runs_of(std::size_t partition) const {
  std::vector<Run> runs;
  for (const auto& writer : writers_) {
    for (Hash128* run : writer->runs_[partition]) runs.push_back({run, kRunHashes});
    if (!writer->runs_[partition].empty()) {
      const Writer::Tail& tail = writer->tails_[partition];
      runs.back().size -= static_cast<std::size_t>(tail.end - tail.next);
    }
  }
  return runs;
}

HashCollector::Result HashCollector::sort(const util::BuildContext& context) {
  struct Part {
    std::vector<Run> runs;
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    std::uint64_t distinct = 0;
    std::vector<Hash128> repeated;
  };
  std::vector<Part> parts(kPartitions);
  Result result;
  for (std::size_t p = 0; p < kPartitions; ++p) {
    parts[p].runs = runs_of(p);
    parts[p].begin = result.collected;
    for (const Run& run : parts[p].runs) parts[p].size += run.size;
    result.collected += parts[p].size;
  }

  context.progress.begin("sort", result.collected);
  HashArray array(result.collected);
  util::parallel_for(context.threads, kPartitions, [&](std::uint64_t p) {
    thread_local SortScratch scratch;
    Part& part = parts[p];
    if (part.size == 0) return;
    const std::span<Hash128> sorted(array.data() + part.begin, part.size);
    sort_partition(part.runs, sorted, scratch);
    for (const Run& run : part.runs) ::madvise(run.begin, kRunBytes, MADV_DONTNEED);
    part.distinct = drop_repeats(sorted, part.repeated);
    context.progress.add(part.size);
  });

  std::uint64_t size = 0;
  for (Part& part : parts) {
    if (size != part.begin && part.distinct != 0) {
      std::copy_n(array.data() + part.begin, part.distinct, array.data() + size);
    }
    size += part.distinct;
    result.repeated.insert(result.repeated.end(), part.repeated.begin(), part.repeated.end());
  }
  result.hashes = SortedHashes(std::move(array), size);
  for (void* slab : std::exchange(slabs_, {})) ::munmap(slab, kSlabBytes);
  for (auto& writer : writers_) writer.reset(new Writer(*this));
  return result;
}

}  // namespace crivo::keys
