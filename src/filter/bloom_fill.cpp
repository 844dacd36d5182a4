#include "filter/bloom_fill.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "util/parallel.hpp"

namespace crivo::filter {
namespace {

constexpr unsigned kPartitionBits = 9;
constexpr std::size_t kMaxBlocks = 4096;
constexpr std::size_t kGathered = 1024;  ///< probes of a block that are carried out at once

/// The cells in blocks of 2^shift, whose words are each block's own.
class Blocks {
 public:
  explicit Blocks(CellArray& cells) : cells_(cells) {
    while (shift_ < 32 && count() > kMaxBlocks) ++shift_;
  }

  unsigned shift() const noexcept { return shift_; }
  std::size_t count() const noexcept { return ((cells_.size() - 1) >> shift_) + 1; }

  /// Increments the cells of `block` at these offsets.
  void carry_out(std::size_t block, std::span<const std::uint32_t> offsets) {
    const std::uint64_t first = static_cast<std::uint64_t>(block) << shift_;
    const std::scoped_lock lock(mutexes_[block % mutexes_.size()]);
    cells_.increment_all(first, offsets);
  }

 private:
  CellArray& cells_;
  unsigned shift_ = 16;
  std::array<std::mutex, 256> mutexes_;
};

/// One thread's probes that were not yet carried out.
class Gatherer {
 public:
  explicit Gatherer(Blocks& blocks)
      : blocks_(blocks),
        shift_(blocks.shift()),
        offsets_(blocks.count() * kGathered),
        sizes_(blocks.count()) {}

  void add(std::uint64_t cell) {
    const std::size_t block = cell >> shift_;
    std::uint32_t& size = sizes_[block];
    offsets_[block * kGathered + size] =
        static_cast<std::uint32_t>(cell & ((std::uint64_t{1} << shift_) - 1));
    if (++size == kGathered) [[unlikely]] {
      flush(block);
    }
  }

  void flush_all() {
    for (std::size_t block = 0; block < sizes_.size(); ++block) flush(block);
  }

 private:
  void flush(std::size_t block) {
    blocks_.carry_out(block, std::span(offsets_).subspan(block * kGathered, sizes_[block]));
    sizes_[block] = 0;
  }

  Blocks& blocks_;
  unsigned shift_;
  std::vector<std::uint32_t> offsets_;
  std::vector<std::uint32_t> sizes_;
};

}  // namespace

CellArray fill_cells(const stream::KeySource& hashes, std::uint64_t cells, unsigned bits,
                     unsigned probes, const util::BuildContext& context) {
  CellArray array(cells, bits);
  Blocks blocks(array);
  const stream::KeySlice all = hashes.whole(context);
  context.progress.begin("filter", hashes.size());
  constexpr std::uint64_t kPartitions = std::uint64_t{1} << kPartitionBits;
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> stop{false};
  util::run_threads(
      context.threads,
      [&](unsigned) {
        Gatherer gatherer(blocks);
        while (!stop.load(std::memory_order_relaxed)) {
          const std::uint64_t partition = next.fetch_add(1, std::memory_order_relaxed);
          if (partition >= kPartitions) break;
          const std::span<const Hash128> part = all.partition(kPartitionBits, partition).hashes;
          for (const Hash128 hash : part) {
            for_each_probe(hash, cells, 0, probes, [&](std::uint64_t cell) {
              gatherer.add(cell);
              return true;
            });
          }
          context.progress.add(part.size());
        }
        gatherer.flush_all();
      },
      &stop);
  return array;
}

}  // namespace crivo::filter
