// SPDX-License-Identifier: Apache-2.0
/// The signatures of an MPHF that is being built, and of the bumped keys of its parts.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "base/sink.hpp"
#include "base/spool.hpp"
#include "hashing/hash128.hpp"
#include "stream/hash_source.hpp"
#include "stream/streamed_keys.hpp"
#include "structures/build/mphf.hpp"
#include "structures/part_signatures.hpp"
#include "structures/signatures.hpp"

namespace crivo::mphf {

/// Sets number `index` of an array of signatures of 8, 16 or 32 bits to that of a hash.
inline void put_signature(std::byte* signatures, std::uint64_t index, Hash128 hash,
                          unsigned bits) noexcept {
  std::array<std::byte, sizeof(std::uint32_t)> bytes{};
  base::store_le(bytes.data(), static_cast<std::uint32_t>(hash.lo >> (64 - bits)));
  std::copy_n(bytes.begin(), bits / 8, signatures + index * (bits / 8));
}

/// Puts what is asked for beside the function into the part of a partition, whose keys have these
/// hashes and ranks (without the cells).
void put_contents(const PartContents& contents, unsigned partition_bits, std::uint64_t partition,
                  std::span<const Hash128> hashes, PartRanks ranks, Part& part);

/// The bumped keys of a function, with their ranks, in the order of these. Sorted in the scratch:
/// 16 bytes each.
class RankedBumped {
 public:
  /// `function` is what `bumped` are of.
  RankedBumped(const BumpedKeys& bumped, const Function& function,
               const base::BuildContext& context);

  std::uint64_t size() const noexcept { return sorted_ ? sorted_->keys().size() : 0; }
  /// Takes the next one, if its rank is below `end`; false if there is none.
  bool take_below(std::uint64_t end, RankedKey& bumped_key);

 private:
  void load_next();

  std::uint64_t first_rank_;
  unsigned shift_;
  /// A rank, from the first on and shifted to the top, stands for the first half of a hash.
  std::unique_ptr<stream::GatheredKeys<Hash128>> sorted_;
  std::vector<Hash128> loaded_;  ///< a partition of them
  std::size_t at_ = 0;           ///< in it
  std::uint64_t partition_ = 0;  ///< the next to load
};

/// Takes those of the ranks that come next, as a part has them (Part::signatures). False, and
/// nothing is done, if they are of more ranks than there are.
using AppendSignatures = std::function<bool(base::ByteView run)>;

/// Writes the section of signatures, of `bits` each, of the function's ranks: those that `runs`
/// appends, those of its bumped keys, and of all other ranks 0.
void write_signatures(const Function& function, unsigned bits, const BumpedKeys& bumped,
                      const base::BuildContext& context, base::Sink& sink,
                      const std::function<void(const AppendSignatures& append)>& runs);

/// All signatures of a function over these keys, which is not made in parts.
base::Bytes signatures_of_all(const stream::HashSource& keys, const Function& function,
                              unsigned bits, const base::BuildContext& context);

/// Takes the next bumped key, by rank; false at the end.
using NextBumped = std::function<bool(RankedKey& bumped_key)>;

/// Writes the bumped keys' ranks, below `keys`, and signatures of 8, 16 or 32 bits, by way of the
/// scratch. Throws Error(io).
inline void write_bumped(const NextBumped& next, std::uint64_t keys, unsigned bits,
                         base::Scratch* scratch, base::Sink& sink) {
  BumpedRanks::Writer ranks(keys, scratch);
  base::Spool signatures(scratch);
  base::Bytes signature(bits / 8);
  for (RankedKey bumped_key{}; next(bumped_key);) {
    ranks.add(bumped_key.rank);
    put_signature(signature.data(), 0, {0, bumped_key.lo}, bits);
    signatures.append(signature);
  }
  sink.append(base::FieldWriter().u32(bits).u32(0).u64(keys).u64(ranks.count()).view());
  ranks.finish(sink);
  signatures.for_each([&](base::ByteView some) { sink.append(some); });
}

}  // namespace crivo::mphf
