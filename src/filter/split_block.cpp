#include "filter/split_block.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "crivo/error.hpp"
#include "filter/filter_file.hpp"
#include "filter/split_block_rate.hpp"
#include "filter/split_block_table.hpp"
#include "util/bits.hpp"
#include "util/cpu.hpp"
#include "util/parallel.hpp"

namespace crivo::filter {
namespace split_block {
namespace {

constexpr std::uint64_t kHeaderBytes = 64;
constexpr std::uint64_t kChunkBlocks = std::uint64_t{1} << 14;  // that a thread fills at a time
/// All eight bits of a key come from 32 bits of its hash, which do not give rarer answers.
constexpr double kLeastFpr = 0x1p-24;
constexpr double kMaxBitsPerKey = 256;

class PortableFilter final : public Filter {
 public:
  using Filter::Filter;

  bool contains(Hash128 hash) const noexcept override {
    const std::byte* block = table_.block(hash);
    std::uint32_t all = 1;
    for (std::size_t i = 0; i < kWords; ++i) {
      all &= file::load_le<std::uint32_t>(block + 4 * i) >> bit_of(hash.hi, i);
    }
    return all != 0;
  }

  void contains(std::span<const Hash128> hashes, bool* answers) const noexcept override {
    for (const Hash128 hash : hashes.first(std::min(kAhead, hashes.size()))) {
      __builtin_prefetch(table_.block(hash));
    }
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (i + kAhead < hashes.size()) __builtin_prefetch(table_.block(hashes[i + kAhead]));
      answers[i] = contains(hashes[i]);
    }
  }
};

/// The blocks that the options give n keys; more if their contents then have too high a rate.
std::uint64_t choose_blocks(std::uint64_t n, const FilterOptions& options) {
  std::uint64_t blocks = 1;
  if (options.bits) {
    if (!(*options.bits >= 1 && *options.bits <= kMaxBitsPerKey)) {
      throw Error(ErrorKind::usage, "split-block-bloom filters have 1 to 256 bits per key");
    }
    const double asked = std::ceil(static_cast<double>(n) * *options.bits / kBlockBits);
    blocks = static_cast<std::uint64_t>(std::clamp(asked, 1.0, 2.0 * kMaxBlocks));
  } else {
    const double fpr = asked_fpr(options);
    if (fpr < kLeastFpr) {
      throw Error(ErrorKind::usage,
                  "split-block-bloom filters have false-positive rates of at least 2^-24");
    }
    blocks = blocks_for(n, fpr);
  }
  if (blocks > kMaxBlocks) {
    throw Error(ErrorKind::usage,
                "split-block-bloom filters have at most 2^31 blocks (64 GiB), "
                "too few for so many keys at this rate");
  }
  return blocks;
}

/// The part of random hashes that `blocks` blocks hold, in units of 2^-64, rounded up.
std::uint64_t exact_rate(Ones ones, std::uint64_t blocks) {
  const Ones rate = ((ones << 24) + blocks - 1) / blocks;
  return static_cast<std::uint64_t>(std::min<Ones>(rate, UINT64_MAX));
}

/// Fills a filter's blocks with all hashes.
Ones fill_all(std::span<const Hash128> hashes, std::uint64_t blocks,
              const util::BuildContext& context, std::byte* data) {
  const auto fill_some = util::cpu() >= util::Cpu::avx2 ? fill_avx2 : fill;
  const auto begin_of = [&](std::uint64_t block) {
    return std::ranges::partition_point(
        hashes, [&](Hash128 hash) { return block_of(hash.hi, blocks) < block; });
  };
  std::mutex mutex;
  Ones total = 0;
  util::parallel_for(
      context.threads, util::div_ceil(blocks, kChunkBlocks), [&](std::uint64_t chunk) {
        const std::uint64_t first = chunk * kChunkBlocks;
        const std::uint64_t end = std::min(blocks, first + kChunkBlocks);
        const std::span<const Hash128> some(begin_of(first), begin_of(end));
        const Ones ones = fill_some(some, blocks, first, end, data + first * kBlockBytes);
        context.progress.add(some.size());
        const std::scoped_lock lock(mutex);
        total += ones;
      });
  return total;
}

}  // namespace

Ones fill(std::span<const Hash128> hashes, std::uint64_t blocks, std::uint64_t first,
          std::uint64_t end, std::byte* data) {
  Ones sum = 0;
  const Hash128* next = hashes.data();
  const Hash128* const last = next + hashes.size();
  for (std::uint64_t block = first; block < end; ++block, data += kBlockBytes) {
    std::array<std::uint32_t, kWords> words{};
    for (; next != last && block_of(next->hi, blocks) == block; ++next) {
      for (std::size_t i = 0; i < kWords; ++i) words[i] |= 1U << bit_of(next->hi, i);
    }
    for (std::size_t i = 0; i < kWords; ++i) file::store_le(data + 4 * i, words[i]);
    sum += product_of_ones(words.data());
  }
  return sum;
}

}  // namespace split_block

using namespace split_block;

Plan plan_split_block(std::uint64_t n, const FilterOptions& options) {
  const std::uint64_t blocks = choose_blocks(n, options);
  if (n == 0) return {};
  return {static_cast<double>(blocks * kBlockBits) / static_cast<double>(n),
          rate_of(n, blocks).mean};
}

void build_split_block(const stream::KeySource& hashes, const FilterOptions& options,
                       const util::BuildContext& context, file::Sink& sink) {
  const std::uint64_t n = hashes.size();
  const double limit = options.bits ? 1 : std::ldexp(asked_fpr(options), 64);
  for (std::uint64_t blocks = choose_blocks(n, options);; blocks += 1 + blocks / 128) {
    context.progress.begin("filter", n);
    const auto data = std::make_unique_for_overwrite<std::byte[]>(blocks * kBlockBytes);
    const Ones ones = fill_all(hashes.whole(context).hashes, blocks, context, data.get());
    const std::uint64_t rate = exact_rate(ones, blocks);
    if (!options.bits && static_cast<double>(rate) > limit && blocks < kMaxBlocks) continue;
    sink.append(file::FieldWriter().u64(n).u64(blocks).u64(rate).zeros(40).view());
    sink.append({data.get(), blocks * kBlockBytes});
    return;
  }
}

std::unique_ptr<const Membership> open_split_block(file::ByteView section) {
  file::FieldReader r(section, "filter section");
  Table table;
  table.keys = r.u64();
  table.blocks = r.u64();
  table.rate = r.u64();
  r.zeros(kHeaderBytes - 24);
  if (table.blocks == 0 || table.blocks > kMaxBlocks) r.fail("has no sound number of blocks");
  if ((table.rate == 0) != (table.keys == 0)) r.fail("has a false-positive rate that cannot be");
  table.data = r.take(table.blocks * kBlockBytes).data();
  r.expect_end();
  if (util::cpu() >= util::Cpu::avx2) return make_avx2_filter(table);
  return std::make_unique<PortableFilter>(table);
}

}  // namespace crivo::filter
