// SPDX-License-Identifier: Apache-2.0
#include "structures/part_signatures.hpp"

#include <algorithm>
#include <bit>

#include "bits/arithmetic.hpp"
#include "structures/signatures.hpp"

namespace crivo::mphf {
namespace {

/// Ranks of a block: those of its strays are kept by their low bits.
constexpr unsigned kBlockBits = 16;

std::uint64_t blocks_of(std::uint64_t keys) noexcept {
  return (keys >> kBlockBits) + 1;
}

}  // namespace

PartSignatures::PartSignatures(const std::vector<SignatureRun>& runs, base::ByteView strays,
                               std::uint64_t keys) {
  base::FieldReader r(strays, "signatures of parts");
  bits_ = r.u32();
  r.zeros(4);
  if (bits_ != 8 && bits_ != 16 && bits_ != 32) r.fail("their width is not 8, 16 or 32 bits");
  if (r.u64() != keys) r.fail("their number is not that of the keys");
  count_ = r.u64();
  const std::uint64_t width = bits_ / 8;
  if (blocks_of(keys) >= r.remaining() / sizeof(std::uint64_t))
    r.fail("they end before they begin");
  begins_ = r.take((blocks_of(keys) + 1) * sizeof(std::uint64_t)).data();
  if (count_ > r.remaining() / (sizeof(std::uint16_t) + width)) r.fail("there are too few");
  low_ranks_ = r.take(count_ * sizeof(std::uint16_t)).data();
  signatures_ = r.take(count_ * width).data();
  r.expect_end();
  log_bytes_ = static_cast<unsigned>(std::countr_zero(width));
  runs_.reserve(runs.size());
  std::uint64_t next = 0;
  for (const SignatureRun& run : runs) {
    const std::uint64_t size = run.bytes.size() / width;
    if (run.first != next || run.bytes.size() % width != 0 || size > keys - next)
      r.fail("their runs do not follow one another");
    runs_.push_back({next, size, run.bytes.data()});
    next += size;
  }
  using Wide = unsigned __int128;
  runs_by_rank_ = static_cast<std::uint64_t>(
      std::min(Wide{UINT64_MAX}, (Wide{runs_.size()} << 64) / std::max<std::uint64_t>(keys, 1)));
}

std::uint32_t PartSignatures::load(const std::byte* signature) const noexcept {
  switch (bits_) {
    case 8:
      return base::load_le<std::uint8_t>(signature);
    case 16:
      return base::load_le<std::uint16_t>(signature);
    default:
      return base::load_le<std::uint32_t>(signature);
  }
}

std::uint32_t PartSignatures::at(std::uint64_t rank) const noexcept {
  const std::byte* const kept = in_run(rank);
  const std::uint32_t signature = kept != nullptr ? load(kept) : 0;
  return signature != 0 ? signature : of_stray(rank);
}

/// Shards have about as many ranks each, so that the run that would have this one if they had
/// equally many nearly always does: no search, whose steps nobody could predict.
const std::byte* PartSignatures::in_run(std::uint64_t rank) const noexcept {
  const std::uint64_t guess = bits::mulhi(rank, runs_by_rank_);
  if (const std::byte* const kept = at_in(guess, rank); kept != nullptr) [[likely]]
    return kept;
  const auto after = std::ranges::upper_bound(runs_, rank, {}, &Run::first);
  return at_in(static_cast<std::uint64_t>(after - runs_.begin()) - 1, rank);
}

const std::byte* PartSignatures::at_in(std::uint64_t index, std::uint64_t rank) const noexcept {
  if (index >= runs_.size()) return nullptr;
  const Run& run = runs_[index];
  const std::uint64_t place = rank - run.first;
  return place < run.size ? run.signatures + (place << log_bytes_) : nullptr;
}

std::uint32_t PartSignatures::of_stray(std::uint64_t rank) const noexcept {
  const auto begin_of = [&](std::uint64_t block) {
    return std::min(base::load_le<std::uint64_t>(begins_ + 8 * block), count_);
  };
  const std::uint64_t low_rank = rank & ((1U << kBlockBits) - 1);
  std::uint64_t begin = begin_of(rank >> kBlockBits);
  const std::uint64_t last = begin_of((rank >> kBlockBits) + 1);
  std::uint64_t end = last;
  while (begin < end) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    if (base::load_le<std::uint16_t>(low_ranks_ + 2 * middle) < low_rank) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  const bool found =
      begin < last && base::load_le<std::uint16_t>(low_ranks_ + 2 * begin) == low_rank;
  return found ? load(signatures_ + begin * (bits_ / 8)) : 0;
}

base::Bytes encode_strays(const std::vector<RankedStray>& strays, std::uint64_t keys,
                          unsigned bits) {
  base::FieldWriter fields;
  fields.u32(bits).u32(0).u64(keys).u64(strays.size());
  for (std::uint64_t block = 0; block <= blocks_of(keys); ++block) {
    const auto first =
        std::ranges::lower_bound(strays, block << kBlockBits, {}, &RankedStray::rank);
    fields.u64(static_cast<std::uint64_t>(first - strays.begin()));
  }
  for (const RankedStray& stray : strays) fields.u16(static_cast<std::uint16_t>(stray.rank));
  base::Bytes signatures(strays.size() * (bits / 8));
  for (std::size_t i = 0; i < strays.size(); ++i)
    put_signature(signatures.data(), i, {0, strays[i].lo}, bits);
  return fields.bytes(signatures).take();
}

}  // namespace crivo::mphf
