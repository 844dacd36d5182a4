// SPDX-License-Identifier: Apache-2.0
#include "structures/split_block/build/split_block.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/cpu.hpp"
#include "base/refuse_option.hpp"
#include "crivo/error.hpp"
#include "structures/bits/fixed_point.hpp"
#include "structures/split_block/split_block.hpp"

namespace crivo::filter {
namespace split_block {
namespace {

/// The blocks that a thread fills at a time: 256 KiB, from leases of 1 MiB.
constexpr std::uint64_t kPartBlocks = std::uint64_t{1} << 13;
constexpr std::uint64_t kPartKeys = std::uint64_t{1} << 16;
/// All eight bits of a key come from 32 bits of its hash, which do not give rarer answers.
constexpr double kLeastFpr = 0x1p-24;
constexpr double kMaxBitsPerKey = 256;

/// The blocks that the options give n keys.
std::uint64_t choose_blocks(std::uint64_t n, const FilterOptions& options) {
  std::uint64_t blocks = 1;
  if (options.bits) {
    if (!(*options.bits >= 1 && *options.bits <= kMaxBitsPerKey)) {
      base::refuse_option("bits", *options.bits,
                          "is not between 1 and 256, which split-block-bloom filters need");
    }
    const double asked = std::ceil(static_cast<double>(n) * *options.bits / kBlockBits);
    blocks = static_cast<std::uint64_t>(std::clamp(asked, 1.0, 2.0 * kMaxBlocks));
  } else {
    const double fpr = asked_fpr(options);
    if (fpr < kLeastFpr) {
      base::refuse_option("fpr", fpr,
                          "is below 2^-24, the least rate of split-block-bloom filters");
    }
    blocks = blocks_for(n, bits::fixed_part(fpr));
  }
  if (blocks > kMaxBlocks) {
    throw Error(ErrorKind::usage,
                "a split-block-bloom filter has at most 2^31 blocks (64 GiB), "
                "which is too few for so many keys at this rate");
  }
  return blocks;
}

/// The part of random hashes that `blocks` blocks hold, in units of 2^-64, rounded up.
std::uint64_t exact_rate(Ones ones, std::uint64_t blocks) {
  const Ones rate = ((ones << 24) + blocks - 1) / blocks;
  return static_cast<std::uint64_t>(std::min<Ones>(rate, UINT64_MAX));
}

/// The blocks that a partition's keys may be in: all bits that those set.
struct Blocks {
  base::Bytes blocks;  ///< from its first key's possible one to before its successor's
  base::Bytes edge;  ///< the successor's first, where that is the partition's last: all zero if not
  Ones ones = 0;     ///< of the blocks but the first, which may be the predecessor's last
};

std::uint64_t ones_of(const std::byte* block) noexcept {
  std::array<std::uint32_t, kWords> words{};
  for (std::size_t i = 0; i < kWords; ++i) words[i] = base::load_le<std::uint32_t>(block + 4 * i);
  return product_of_ones(words.data());
}

/// Adds the bits of one block to another.
void merge_block(std::byte* block, base::ByteView other) noexcept {
  std::transform(other.begin(), other.end(), block, block, std::bit_or<>());
}

/// Where the blocks of partition `index` of 2^bits begin; those of the last end at `blocks`.
std::uint64_t first_block(std::uint64_t index, unsigned bits, std::uint64_t blocks) noexcept {
  return index >> bits != 0 ? blocks : block_of(bits == 0 ? 0 : index << (64 - bits), blocks);
}

Blocks build_blocks(std::span<const Hash128> hashes, std::uint64_t blocks, unsigned bits,
                    std::uint64_t index) {
  const std::uint64_t first = first_block(index, bits, blocks);
  const std::uint64_t end = first_block(index + 1, bits, blocks);
  const std::uint64_t least = bits == 0 ? 0 : index << (64 - bits);
  const std::uint64_t last = block_of(least | UINT64_MAX >> bits, blocks);
  Blocks part;
  part.blocks.resize((last + 1 - first) * kBlockBytes);
  const auto fill_some = base::cpu() >= base::Cpu::avx2 ? fill_avx2 : fill;
  part.ones = fill_some(hashes, blocks, first, last + 1, part.blocks.data());
  part.edge.resize(kBlockBytes);
  if (last == end) {
    std::copy_n(part.blocks.end() - kBlockBytes, kBlockBytes, part.edge.begin());
    part.blocks.resize(part.blocks.size() - kBlockBytes);
    part.ones -= ones_of(part.edge.data());
  }
  part.ones -= ones_of(part.blocks.data());
  return part;
}

/// The bits of partitions that have about kPartBlocks blocks each, or kPartKeys keys where that is
/// less.
unsigned partition_bits(std::uint64_t n, std::uint64_t blocks) {
  unsigned bits = 0;
  while (blocks >> bits > kPartBlocks || n >> bits > kPartKeys) ++bits;
  return bits;
}

}  // namespace

void add_any(std::span<const std::uint64_t> hashes, std::uint64_t blocks,
             std::byte* data) noexcept {
  (base::cpu() >= base::Cpu::avx2 ? add_avx2 : add)(hashes, blocks, data);
}

std::uint64_t exact_rate(base::ByteView blocks) noexcept {
  Ones ones = 0;
  for (std::size_t at = 0; at < blocks.size(); at += kBlockBytes) ones += ones_of(&blocks[at]);
  return exact_rate(ones, blocks.size() / kBlockBytes);
}

std::uint64_t fold(std::span<std::byte> data, std::uint64_t rate) noexcept {
  std::uint64_t blocks = data.size() / kBlockBytes;
  for (; blocks % 2 == 0; blocks /= 2) {
    const auto folded = [&](std::uint64_t block) {
      std::array<std::byte, kBlockBytes> both;
      const std::byte* const two = data.data() + 2 * block * kBlockBytes;
      std::copy_n(two, kBlockBytes, both.begin());
      merge_block(both.data(), {two + kBlockBytes, kBlockBytes});
      return both;
    };
    Ones ones = 0;
    for (std::uint64_t i = 0; i < blocks / 2; ++i) ones += ones_of(folded(i).data());
    if (exact_rate(ones, blocks / 2) > rate) break;
    for (std::uint64_t i = 0; i < blocks / 2; ++i)
      std::ranges::copy(folded(i), data.data() + i * kBlockBytes);
  }
  return blocks;
}

}  // namespace split_block

using namespace split_block;

Forecast forecast_split_block(std::uint64_t n, const FilterOptions& options) {
  const std::uint64_t blocks = choose_blocks(n, options);
  if (n == 0) return {};
  return {static_cast<double>(blocks * kBlockBits) / static_cast<double>(n),
          std::ldexp(static_cast<double>(rate_of(n, blocks).mean), -64)};
}

namespace split_block {
namespace {

/// The body of a part is its blocks; its notes, their ones (but the first's) and the edge.
class BlockAssembly final : public Assembly {
 public:
  BlockAssembly(std::uint64_t n, std::uint64_t blocks)
      : n_(n), blocks_(blocks), bits_(split_block::partition_bits(n, blocks)) {}

  unsigned partition_bits() const noexcept override { return bits_; }
  stream::PartCost cost() const noexcept override {
    const double key_bytes = static_cast<double>(blocks_ * kBlockBytes) /
                             static_cast<double>(std::max<std::uint64_t>(n_, 1));
    return {key_bytes, key_bytes};
  }

  Part build_part(unsigned bits, std::uint64_t index, const stream::KeySlice& keys) const override {
    Blocks built = build_blocks(keys.hashes, blocks_, bits, index);
    base::FieldWriter notes;
    notes.u64(static_cast<std::uint64_t>(built.ones));
    notes.u64(static_cast<std::uint64_t>(built.ones >> 64)).bytes(built.edge);
    return {std::move(built.blocks), notes.take()};
  }
  void join_edges(Part& part, base::Bytes& edge) const override {
    if (!edge.empty()) merge_block(part.body.data(), edge);
    edge.assign(part.notes.end() - kBlockBytes, part.notes.end());
  }

  void begin(const base::BuildContext&, base::Sink& sink) override {
    sink.append(base::FieldWriter().u64(n_).u64(blocks_).align(kHeaderBytes).view());
  }
  void join(const PartView& part, base::Sink& sink) override {
    base::FieldReader notes(part.notes, "part of a filter");
    const Ones low = notes.u64();
    ones_ += low | Ones{notes.u64()} << 64;
    if (part.body.empty() || part.body.size() % kBlockBytes != 0) notes.fail("has no whole blocks");
    merge_block(edge_.data(), part.body.first(kBlockBytes));
    ones_ += ones_of(edge_.data());
    if (std::ranges::equal(edge_, part.body.first(kBlockBytes))) {
      sink.append(part.body);
    } else {
      sink.append(edge_);
      sink.append(part.body.subspan(kBlockBytes));
    }
    std::ranges::copy(notes.take(kBlockBytes), edge_.begin());
    notes.expect_end();
  }
  std::uint64_t place_in_page(std::uint64_t partition) const noexcept override {
    return (kHeaderBytes + first_block(partition, bits_, blocks_) * kBlockBytes) % kPageBytes;
  }
  void finish(const base::BuildContext&, base::Sink& sink) override {
    sink.append(base::FieldWriter().u64(exact_rate(ones_, blocks_)).view());
  }

 private:
  std::uint64_t n_;
  std::uint64_t blocks_;
  unsigned bits_;
  Ones ones_ = 0;
  std::array<std::byte, kBlockBytes> edge_{};  ///< what the part before has of the next one's first
};

}  // namespace
}  // namespace split_block

std::unique_ptr<Assembly> plan_split_block(std::uint64_t n, const FilterOptions& options) {
  return std::make_unique<BlockAssembly>(n, choose_blocks(n, options));
}

std::uint64_t split_block_bytes(std::uint64_t n, const FilterOptions& options) {
  return kHeaderBytes + choose_blocks(n, options) * kBlockBytes + sizeof(Table::rate);
}

void fill_split_block(std::span<const std::uint64_t> hashes, const FilterOptions&,
                      std::span<std::byte> section) {
  const std::span<std::byte> blocks =
      section.subspan(kHeaderBytes, section.size() - kHeaderBytes - sizeof(Table::rate));
  const std::uint64_t count = blocks.size() / kBlockBytes;
  std::ranges::fill(section, std::byte{0});
  base::store_le(section.data(), std::uint64_t{hashes.size()});
  base::store_le(section.data() + 8, count);
  add_any(hashes, count, blocks.data());
  base::store_le(blocks.data() + blocks.size(), exact_rate(blocks));
}

}  // namespace crivo::filter

namespace crivo::filter::split_block {
namespace {

using bits::Uint128;

/// Probabilities are in units of 2^-63, so that there is a 1.
constexpr std::uint64_t kOne = std::uint64_t{1} << 63;

constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept {
  return static_cast<std::uint64_t>(Uint128{a} * b >> 63);
}

/// (numerator / 32)^k.
constexpr std::uint64_t power(std::uint64_t numerator, std::uint64_t k) noexcept {
  std::uint64_t result = kOne;
  for (std::uint64_t square = numerator << 58; k != 0; k >>= 1, square = times(square, square)) {
    if ((k & 1) != 0) result = times(result, square);
  }
  return result;
}

/// p to the power of the words of a block.
constexpr std::uint64_t of_all_words(std::uint64_t p) noexcept {
  static_assert(kWords == 8);
  const std::uint64_t square = times(p, p);
  const std::uint64_t fourth = times(square, square);
  return times(fourth, fourth);
}

/// The rate of a block with k keys and its square over all contents, weighted and summed.
struct Moments {
  Uint128 weights = 0;
  Uint128 rates = 0;
  Uint128 squares = 0;

  void add(std::uint64_t k, std::uint64_t weight) noexcept {
    // The chances that one bit of a word, and that two given ones, are clear.
    const std::uint64_t one = power(31, k);
    const std::uint64_t two = power(30, k);
    const std::uint64_t set = kOne - one;
    const std::uint64_t both = 2 * set > kOne - two ? 2 * set - (kOne - two) : 0;
    weights += weight;
    rates += Uint128{weight} * of_all_words(set);
    squares += Uint128{weight} * of_all_words(set / 32 + both / 32 * 31);
  }
};

}  // namespace

Rate rate_of(std::uint64_t n, std::uint64_t blocks) noexcept {
  if (n == 0) return {};
  Moments moments;
  // From about the likeliest number of keys both ways, until nothing is left of its weight.
  constexpr std::uint64_t kWeight = std::uint64_t{1} << 56;
  const std::uint64_t likely = n / blocks;
  const Uint128 others = blocks - 1;
  Uint128 weight = kWeight;
  for (std::uint64_t k = likely; weight != 0; ++k) {
    moments.add(k, static_cast<std::uint64_t>(weight));
    if (k == n) break;
    weight = weight * (n - k) / (Uint128{k + 1} * others);
  }
  weight = kWeight;
  for (std::uint64_t k = likely; k != 0; --k) {
    weight = weight * (Uint128{k} * others) / (n - k + 1);
    if (weight == 0) break;
    moments.add(k - 1, static_cast<std::uint64_t>(weight));
  }
  const auto mean = static_cast<std::uint64_t>(moments.rates / moments.weights);
  const Uint128 square = moments.squares / moments.weights << 63;
  const Uint128 variance = square - std::min(square, Uint128{mean} * mean);
  const auto doubled = [](std::uint64_t p) { return p >= kOne ? UINT64_MAX : 2 * p; };
  return {doubled(mean), doubled(bits::square_root(variance / blocks))};
}

std::uint64_t blocks_for(std::uint64_t n, std::uint64_t fpr) noexcept {
  std::uint64_t low = std::max<std::uint64_t>(1, base::div_ceil(n, kBlockBits));
  std::uint64_t high = kMaxBlocks + 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const Rate rate = rate_of(n, middle);
    if (rate.mean <= fpr && rate.deviation <= (fpr - rate.mean) / kDeviations) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace crivo::filter::split_block
