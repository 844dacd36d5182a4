// SPDX-License-Identifier: Apache-2.0
#include "structures/signatures.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "bits/arithmetic.hpp"

namespace crivo::mphf {
namespace {

constexpr std::uint64_t kHeaderBytes = 64;

/// Calls use(hash, its rank) for all hashes, on up to `threads` threads.
template <typename Use>
void for_each_ranked(const Function& function, std::span<const Hash128> hashes, unsigned threads,
                     Use&& use) {
  constexpr std::size_t kBlock = 256;
  constexpr std::size_t kTask = 64 * kBlock;
  base::parallel_for(threads, bits::div_ceil(hashes.size(), kTask), [&](std::uint64_t task) {
    std::array<std::uint64_t, kBlock> ranks{};
    const auto some = hashes.subspan(task * kTask, std::min(kTask, hashes.size() - task * kTask));
    for (std::size_t begin = 0; begin < some.size(); begin += kBlock) {
      const auto block = some.subspan(begin, std::min(kBlock, some.size() - begin));
      function.ranks(block, ranks.data());
      for (std::size_t i = 0; i < block.size(); ++i) use(block[i], ranks[i]);
    }
  });
}

/// The signatures of the ranks of one partition.
class RankWindow {
 public:
  RankWindow(std::uint64_t first, std::uint64_t ranks, unsigned bits)
      : first_(first), ranks_(ranks), bits_(bits), bytes_(ranks * (bits / 8)) {}

  /// Nothing where the rank is another partition's. Different ranks may be set at once.
  void set(std::uint64_t rank, Hash128 hash) noexcept {
    if (rank - first_ < ranks_) put_signature(bytes_.data(), rank - first_, hash, bits_);
  }
  base::Bytes take() noexcept { return std::move(bytes_); }

 private:
  std::uint64_t first_;
  std::uint64_t ranks_;
  unsigned bits_;
  base::Bytes bytes_;
};

/// The signatures of the strays, by the partitions of their ranks.
class StraySignatures {
 public:
  StraySignatures(const Function& function, std::span<const Hash128> strays, unsigned threads)
      : partitions_(std::size_t{1} << function.rank_partition_bits()) {
    const auto numbers = std::views::iota(std::uint64_t{0}, partitions_.size());
    for_each_ranked(function, strays, threads, [&](Hash128 hash, std::uint64_t rank) {
      const auto end = [&](std::uint64_t p) { return function.first_rank(p + 1); };
      Partition& partition = partitions_[*std::ranges::upper_bound(numbers, rank, {}, end)];
      const std::scoped_lock lock(partition.mutex);
      partition.hashes.emplace_back(rank, hash);
    });
  }

  void put_in(std::uint64_t partition, RankWindow& window) const noexcept {
    for (const auto& [rank, hash] : partitions_[partition].hashes) window.set(rank, hash);
  }

 private:
  struct Partition {
    std::mutex mutex;
    std::vector<std::pair<std::uint64_t, Hash128>> hashes;
  };
  std::vector<Partition> partitions_;
};

}  // namespace

Signatures::Signatures(base::ByteView section, std::uint64_t keys) {
  base::FieldReader r(section, "signatures");
  bits_ = r.u32();
  r.zeros(4);
  const std::uint64_t count = r.u64();
  r.zeros(kHeaderBytes - 16);
  if (bits_ != 8 && bits_ != 16 && bits_ != 32) r.fail("their width is not 8, 16 or 32 bits");
  if (count != keys || r.remaining() / (bits_ / 8) != count || r.remaining() % (bits_ / 8) != 0) {
    r.fail("their number is not that of the keys");
  }
  form_ = bits_;
  data_ = r.take(r.remaining()).data();
}

base::Bytes signature_header(std::uint64_t n, unsigned bits) {
  return base::FieldWriter().u32(bits).u32(0).u64(n).zeros(kHeaderBytes - 16).take();
}

void write_signatures(const stream::KeySource& hashes, const Function& function,
                      std::vector<Hash128> strays, unsigned bits, const base::BuildContext& context,
                      base::Sink& sink) {
  sink.append(signature_header(hashes.size(), bits));
  context.progress.begin("signatures", hashes.size());
  const unsigned width = bits / 8;
  StraySignatures apart(function, strays, context.threads);
  strays = {};
  const unsigned partition_bits = function.rank_partition_bits();
  // A function without partitions of ranks has its only one shared by all threads.
  const unsigned threads = partition_bits == 0 ? context.threads : 1;
  hashes.for_each_partition(
      partition_bits, {static_cast<double>(width), static_cast<double>(width)}, context,
      [&](std::uint64_t p, const stream::KeySlice& keys) {
        const std::uint64_t first = function.first_rank(p);
        RankWindow window(first, function.first_rank(p + 1) - first, bits);
        for_each_ranked(function, keys.hashes, threads,
                        [&](Hash128 hash, std::uint64_t rank) { window.set(rank, hash); });
        apart.put_in(p, window);
        context.progress.add(keys.size());
        return window.take();
      },
      [&](std::uint64_t, const base::Bytes& signatures) { sink.append(signatures); });
}

}  // namespace crivo::mphf
