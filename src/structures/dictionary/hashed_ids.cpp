// SPDX-License-Identifier: Apache-2.0
#include "structures/dictionary/hashed_ids.hpp"

#include <algorithm>
#include <utility>

#include "base/arithmetic.hpp"
#include "structures/bits/packed.hpp"

namespace crivo::dictionary {
namespace {

constexpr unsigned kMostEntryBits = 56;  // that bits::load_bits() takes

}  // namespace

HashedIds::HashedIds(std::unique_ptr<const mphf::Function> function,
                     const base::CheckedBytes& section)
    : pages_(section.checks), function_(std::move(function)), keys_(function_->size()) {
  base::FieldReader fields(section, "the dictionary's hashed ids");
  const std::uint64_t count = fields.u64();
  signature_bits_ = fields.u8();
  fields.zeros(kHashedIdsHead - 9);
  if (signature_bits_ != 8 && signature_bits_ != 16)
    fields.fail("have signatures of other than 8 or 16 bits");
  entry_bits_ = signature_bits_ + id_bits(keys_);
  if (count != keys_ || entry_bits_ > kMostEntryBits)
    fields.fail("are not as many as the MPHF has keys");
  // The product cannot overflow: a function has at most 2^40 keys.
  const std::uint64_t all_bits = keys_ * entry_bits_;
  if (fields.remaining() != bits::padded_bytes(all_bits))
    fields.fail("do not have the length that follows from their number");
  entries_ = fields.take(base::div_ceil(all_bits, 8)).data();
  fields.zeros(fields.remaining());
}

std::uint64_t HashedIds::id_at(std::uint64_t rank, Hash128 hash) const noexcept {
  pages_.touch(entries_ + rank * entry_bits_ / 8, sizeof(std::uint64_t));
  const std::uint64_t entry = bits::load_bits(entries_, rank * entry_bits_, entry_bits_);
  const std::uint64_t id = entry >> signature_bits_;
  const bool matches = ((entry ^ hash.lo >> (64 - signature_bits_)) &
                        ((std::uint64_t{1} << signature_bits_) - 1)) == 0;
  return matches && id < keys_ ? id : kAbsent;
}

std::uint64_t HashedIds::find(Hash128 hash) const noexcept {
  return keys_ == 0 ? kAbsent : id_at(function_->rank(hash), hash);
}

void HashedIds::find(std::span<const Hash128> hashes, std::uint64_t* ids) const noexcept {
  constexpr std::size_t kBlock = 256;
  if (keys_ == 0) {
    std::fill_n(ids, hashes.size(), kAbsent);
    return;
  }
  for (std::size_t begin = 0; begin < hashes.size(); begin += kBlock) {
    const auto block = hashes.subspan(begin, std::min(kBlock, hashes.size() - begin));
    function_->ranks(block, ids + begin);
    for (std::size_t i = 0; i < block.size(); ++i)
      __builtin_prefetch(entries_ + ids[begin + i] * entry_bits_ / 8);
    for (std::size_t i = 0; i < block.size(); ++i) ids[begin + i] = id_at(ids[begin + i], block[i]);
  }
}

}  // namespace crivo::dictionary
