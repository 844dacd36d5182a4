// SPDX-License-Identifier: Apache-2.0
#include "structures/dictionary/build/hashed_ids_builder.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "base/arithmetic.hpp"
#include "structures/bits/packed.hpp"
#include "structures/dictionary/hashed_ids.hpp"

namespace crivo::dictionary {
namespace {

/// Appends a padded array in blocks of whole bytes.
class EntrySink {
 public:
  EntrySink(unsigned entry_bits, base::Sink& to)
      : entry_bits_(entry_bits),
        to_(to),
        block_(kBlockEntries / 8 * entry_bits),
        packed_(block_.data()) {}

  void put(std::uint64_t entry) {
    packed_.put(entry, entry_bits_);
    if (++held_ != kBlockEntries) return;
    to_.append(block_);
    packed_ = bits::PackedWriter(block_.data());
    entries_ += std::exchange(held_, 0);
  }
  void finish() {
    packed_.finish();
    const std::uint64_t used = base::div_ceil(held_ * entry_bits_, 8);
    to_.append(base::ByteView(block_).first(used));
    const std::uint64_t all_bits = (entries_ + held_) * entry_bits_;
    to_.append(base::Bytes(bits::padded_bytes(all_bits) - base::div_ceil(all_bits, 8)));
  }

 private:
  static constexpr std::uint64_t kBlockEntries = 1 << 13;

  unsigned entry_bits_;
  base::Sink& to_;
  base::Bytes block_;
  bits::PackedWriter packed_;
  std::uint64_t held_ = 0;     ///< entries of the block
  std::uint64_t entries_ = 0;  ///< that were appended
};

}  // namespace

HashedIdsBuilder::HashedIdsBuilder(std::uint64_t keys, unsigned signature_bits,
                                   base::Scratch* scratch)
    : keys_(keys),
      signature_bits_(signature_bits),
      rank_shift_(static_cast<unsigned>(std::countl_zero(keys | 1))),
      by_rank_(keys, scratch) {}

void HashedIdsBuilder::add(std::uint64_t rank, Hash128 hash, std::uint64_t id) {
  by_rank_.writer(0).add(
      {rank << rank_shift_, id << signature_bits_ | hash.lo >> (64 - signature_bits_)});
}

void HashedIdsBuilder::finish(const base::BuildContext& context, base::Sink& to) {
  to.append(base::FieldWriter()
                .u64(keys_)
                .u8(static_cast<std::uint8_t>(signature_bits_))
                .zeros(kHashedIdsHead - 9)
                .view());
  EntrySink entries(signature_bits_ + id_bits(keys_), to);
  by_rank_.finish();
  by_rank_.keys().for_each_partition(
      by_rank_.partition_bits(), {}, context,
      [](std::uint64_t, const stream::KeySlice& keys) {
        std::vector<std::uint64_t> some(keys.size());
        std::ranges::transform(keys.hashes, some.begin(), &Hash128::lo);
        return some;
      },
      [&](std::uint64_t, const std::vector<std::uint64_t>& some) {
        for (const std::uint64_t entry : some) entries.put(entry);
        context.progress.add(some.size());
      });
  entries.finish();
}

}  // namespace crivo::dictionary
