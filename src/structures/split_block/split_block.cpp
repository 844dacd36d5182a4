#include "structures/split_block/split_block.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/cpu.hpp"
#include "bits/fixed_point.hpp"
#include "crivo/error.hpp"
#include "structures/split_block/rate.hpp"
#include "structures/split_block/table.hpp"

namespace crivo::filter {
namespace split_block {
namespace {

constexpr std::uint64_t kHeaderBytes = 64;
/// Of what a thread fills at a time: 256 KiB, from leases of 1 MiB.
constexpr std::uint64_t kPartBlocks = std::uint64_t{1} << 13;
constexpr std::uint64_t kPartKeys = std::uint64_t{1} << 16;
/// All eight bits of a key come from 32 bits of its hash, which do not give rarer answers.
constexpr double kLeastFpr = 0x1p-24;
constexpr double kMaxBitsPerKey = 256;

class PortableFilter final : public Filter {
 public:
  using Filter::Filter;

  bool contains(Hash128 hash) const noexcept override { return ask(&table_, hash.hi, hash.lo); }
  detail::FilterLookup lookup() const noexcept override { return {.call = ask, .filter = &table_}; }

  void contains(std::span<const Hash128> hashes, bool* answers) const noexcept override {
    for (const Hash128 hash : hashes.first(std::min(kAhead, hashes.size()))) {
      __builtin_prefetch(table_.block(hash));
    }
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (i + kAhead < hashes.size()) __builtin_prefetch(table_.block(hashes[i + kAhead]));
      answers[i] = contains(hashes[i]);
    }
  }

 private:
  static bool ask(const void* table, std::uint64_t hi, std::uint64_t) noexcept {
    const std::byte* block = static_cast<const Table*>(table)->block({hi, 0});
    std::uint32_t all = 1;
    for (std::size_t i = 0; i < kWords; ++i) {
      all &= base::load_le<std::uint32_t>(block + 4 * i) >> bit_of(hi, i);
    }
    return all != 0;
  }
};

/// The blocks that the options give n keys.
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
    blocks = blocks_for(n, bits::fixed_part(fpr));
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

/// The blocks that a partition's keys may be in: all bits that those set.
struct Blocks {
  std::uint64_t first = 0;  ///< the first block
  base::Bytes blocks;
  Ones ones = 0;  ///< of the blocks but the first and the last, which may be a neighbour's too
};

std::uint64_t ones_of(const std::byte* block) noexcept {
  std::array<std::uint32_t, kWords> words{};
  for (std::size_t i = 0; i < kWords; ++i) words[i] = base::load_le<std::uint32_t>(block + 4 * i);
  return product_of_ones(words.data());
}

Blocks build_blocks(std::span<const Hash128> hashes, std::uint64_t blocks, unsigned bits,
                    std::uint64_t index) {
  const std::uint64_t least = bits == 0 ? 0 : index << (64 - bits);
  const std::uint64_t most = least | UINT64_MAX >> bits;
  Blocks part;
  part.first = block_of(least, blocks);
  const std::uint64_t end = block_of(most, blocks) + 1;
  part.blocks.resize((end - part.first) * kBlockBytes);
  const auto fill_some = base::cpu() >= base::Cpu::avx2 ? fill_avx2 : fill;
  part.ones =
      fill_some(hashes, blocks, part.first, end, part.blocks.data()) - ones_of(part.blocks.data());
  if (end - part.first > 1) part.ones -= ones_of(&*(part.blocks.end() - kBlockBytes));
  return part;
}

/// Appends the blocks of parts that come in order. The last block is held back until it is known
/// whether the next part has it too.
class BlockWriter {
 public:
  void append(Blocks part, base::Sink& sink) {
    if (!held_.empty()) {
      if (part.first == held_index_) {
        for (std::size_t i = 0; i < kBlockBytes; ++i) part.blocks[i] |= held_[i];
      } else {
        append_held(sink);
      }
    }
    const base::ByteView blocks = part.blocks;
    const base::ByteView whole = blocks.first(blocks.size() - kBlockBytes);
    if (!whole.empty()) {
      ones_ += part.ones + ones_of(whole.data());
      sink.append(whole);
    }
    held_index_ = part.first + whole.size() / kBlockBytes;
    held_.assign(blocks.begin() + static_cast<std::ptrdiff_t>(whole.size()), blocks.end());
  }

  /// Appends the last block; returns the ones of all.
  Ones finish(base::Sink& sink) {
    append_held(sink);
    return ones_;
  }

 private:
  void append_held(base::Sink& sink) {
    ones_ += ones_of(held_.data());
    sink.append(held_);
  }

  Ones ones_ = 0;
  std::uint64_t held_index_ = 0;
  base::Bytes held_;
};

/// Of partitions that have about kPartBlocks blocks each, or kPartKeys keys where that is less.
unsigned partition_bits(std::uint64_t n, std::uint64_t blocks) {
  unsigned bits = 0;
  while (blocks >> bits > kPartBlocks || n >> bits > kPartKeys) ++bits;
  return bits;
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
    for (std::size_t i = 0; i < kWords; ++i) base::store_le(data + 4 * i, words[i]);
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
          std::ldexp(static_cast<double>(rate_of(n, blocks).mean), -64)};
}

namespace split_block {
namespace {

/// The body of a part is its blocks; its notes, the first one's number and their ones.
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
    notes.u64(built.first).u64(static_cast<std::uint64_t>(built.ones));
    notes.u64(static_cast<std::uint64_t>(built.ones >> 64));
    return {std::move(built.blocks), notes.take()};
  }

  void begin(base::Sink& sink) override {
    sink.append(base::FieldWriter().u64(n_).u64(blocks_).align(kHeaderBytes).view());
  }
  void join(Part part, base::Sink& sink) override {
    base::FieldReader notes(part.notes, "part of a filter");
    Blocks blocks{notes.u64(), std::move(part.body), 0};
    const Ones low = notes.u64();
    blocks.ones = low | Ones{notes.u64()} << 64;
    if (blocks.blocks.empty() || blocks.blocks.size() % kBlockBytes != 0)
      notes.fail("has no whole blocks");
    writer_.append(std::move(blocks), sink);
  }
  void finish(const base::BuildContext&, base::Sink& sink) override {
    const Ones ones = writer_.finish(sink);
    sink.append(base::FieldWriter().u64(exact_rate(ones, blocks_)).view());
  }

 private:
  std::uint64_t n_;
  std::uint64_t blocks_;
  unsigned bits_;
  BlockWriter writer_;
};

}  // namespace
}  // namespace split_block

std::unique_ptr<Assembly> assemble_split_block(std::uint64_t n, const FilterOptions& options) {
  return std::make_unique<BlockAssembly>(n, choose_blocks(n, options));
}

std::unique_ptr<const Membership> open_split_block(base::ByteView section) {
  base::FieldReader r(section, "filter section");
  Table table;
  table.keys = r.u64();
  table.blocks = r.u64();
  r.align(kHeaderBytes);
  if (table.blocks == 0 || table.blocks > kMaxBlocks) r.fail("has no sound number of blocks");
  table.data = r.take(table.blocks * kBlockBytes).data();
  table.rate = r.u64();
  r.expect_end();
  if ((table.rate == 0) != (table.keys == 0)) r.fail("has a false-positive rate that cannot be");
  if (base::cpu() >= base::Cpu::avx2) return make_avx2_filter(table);
  return std::make_unique<PortableFilter>(table);
}

}  // namespace crivo::filter
