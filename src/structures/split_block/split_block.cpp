// SPDX-License-Identifier: Apache-2.0
#include "structures/split_block/split_block.hpp"

#include <algorithm>

#include "base/cpu.hpp"

namespace crivo::filter {
namespace split_block {
namespace {

class PortableFilter final : public TableFilter {
 public:
  using TableFilter::TableFilter;

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
    return holds(static_cast<const Table*>(table)->block({hi, 0}), hi);
  }
};

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

void add(std::span<const std::uint64_t> hashes, std::uint64_t blocks, std::byte* data) noexcept {
  for (const std::uint64_t hash : hashes) {
    std::byte* const block = data + kBlockBytes * block_of(hash, blocks);
    for (std::size_t i = 0; i < kWords; ++i) {
      const auto word = base::load_le<std::uint32_t>(block + 4 * i);
      base::store_le(block + 4 * i, word | 1U << bit_of(hash, i));
    }
  }
}

}  // namespace split_block

using namespace split_block;

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
  if ((table.rate == 0) != (table.keys == 0)) r.fail("its false-positive rate is impossible");
  if (base::cpu() >= base::Cpu::avx2) return make_avx2_filter(table);
  return std::make_unique<PortableFilter>(table);
}

}  // namespace crivo::filter
