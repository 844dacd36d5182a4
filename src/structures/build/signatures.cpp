// SPDX-License-Identifier: Apache-2.0
#include "structures/build/signatures.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/parallel.hpp"

namespace crivo::mphf {
namespace {

constexpr std::uint64_t kHeaderBytes = 64;
constexpr std::size_t kBlockBytes = std::size_t{1} << 16;  ///< that are joined at once

/// Calls use(hashes, their ranks) for blocks of `hashes`, in order.
template <typename Use>
void for_each_ranked(const Function& function, std::span<const Hash128> hashes, Use&& use) {
  constexpr std::size_t kBlock = 256;
  std::array<std::uint64_t, kBlock> ranks{};
  for (; !hashes.empty(); hashes = hashes.subspan(std::min(kBlock, hashes.size()))) {
    const auto block = hashes.first(std::min(kBlock, hashes.size()));
    function.ranks(block, ranks.data());
    use(block, std::span<const std::uint64_t>(ranks).first(block.size()));
  }
}

}  // namespace

void put_contents(const PartContents& contents, unsigned partition_bits, std::uint64_t partition,
                  std::span<const Hash128> hashes, PartRanks ranks, Part& part) {
  const unsigned bits = contents.signature_bits;
  if (bits != 0) {
    part.signatures.resize(ranks.count * (bits / 8));
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (ranks.of_keys[i] == PartRanks::kBumped) continue;
      put_signature(part.signatures.data(), ranks.of_keys[i], hashes[i], bits);
    }
  }
  if (!contents.has_ranks) return;
  const unsigned cell_bits = std::max(contents.cell_bits, partition_bits);
  const unsigned cut = cell_bits - partition_bits;
  ranks.cell_keys.resize(std::size_t{1} << cut);
  for (const Hash128& hash : hashes)
    ++ranks.cell_keys[base::top_bits(hash.hi, cell_bits) - (partition << cut)];
  part.ranks = std::move(ranks);
}

RankedBumped::RankedBumped(const BumpedKeys& bumped, const Function& function,
                           const base::BuildContext& context)
    : first_rank_(std::min(bumped.first_rank, function.size())),
      shift_(static_cast<unsigned>(std::countl_zero((function.size() - first_rank_) | 1))) {
  if (bumped.keys == nullptr) return;
  sorted_ = std::make_unique<stream::GatheredKeys<Hash128>>(bumped.keys->size(), context.scratch);
  std::mutex mutex;  // of the writer
  bumped.keys->for_each({}, context, [&](const stream::KeySlice& keys) {
    std::vector<Hash128> hashes(keys.size());
    std::ranges::transform(keys.hashes, hashes.begin(), bumped.hash_of);
    for_each_ranked(function, hashes, [&](std::span<const Hash128> some, const auto& ranks) {
      const std::scoped_lock lock(mutex);
      for (std::size_t i = 0; i < some.size(); ++i) {
        const std::uint64_t place = std::max(ranks[i], first_rank_) - first_rank_;
        sorted_->writer(0).add({place << shift_, some[i].lo});
      }
    });
  });
  sorted_->finish().keep_repeats();  // of damaged functions
}

void RankedBumped::load_next() {
  at_ = 0;
  loaded_.clear();
  if (!sorted_) return;
  const unsigned bits = sorted_->partition_bits();
  base::Progress silent;
  while (loaded_.empty() && partition_ >> bits == 0) {
    sorted_->keys().for_each_partition(
        bits, {partition_, partition_ + 1}, {}, {1, silent},
        [](std::uint64_t, const stream::KeySlice& keys) {
          return std::vector<Hash128>(keys.hashes.begin(), keys.hashes.end());
        },
        [&](std::uint64_t, std::vector<Hash128> hashes) { loaded_ = std::move(hashes); });
    ++partition_;
  }
}

bool RankedBumped::take_below(std::uint64_t end, RankedKey& bumped_key) {
  if (at_ == loaded_.size()) load_next();
  if (at_ == loaded_.size()) return false;
  const Hash128& next = loaded_[at_];
  const std::uint64_t rank = first_rank_ + (next.hi >> shift_);
  if (rank >= end) return false;
  ++at_;
  bumped_key = {rank, next.lo};
  return true;
}

namespace {

/// Puts the signatures of bumped keys among those of the parts.
class SignatureJoin {
 public:
  SignatureJoin(std::uint64_t n, unsigned bits, RankedBumped bumped, base::Sink& sink)
      : n_(n), bits_(bits), bumped_(std::move(bumped)), sink_(sink) {
    sink.append(base::FieldWriter().u32(bits).u32(0).u64(n).zeros(kHeaderBytes - 16).view());
  }

  bool append(base::ByteView run) {
    const std::uint64_t width = bits_ / 8;
    if (run.size() % width != 0 || run.size() / width > n_ - next_) return false;
    for (; !run.empty(); run = run.subspan(std::min(kBlockBytes, run.size())))
      append_filled(run.first(std::min(kBlockBytes, run.size())));
    return true;
  }

  /// The ranks behind all parts.
  void finish() {
    const base::Bytes none(kBlockBytes);
    while (next_ != n_) {
      const std::uint64_t left = (n_ - next_) * (bits_ / 8);
      append_filled(base::ByteView(none).first(std::min<std::uint64_t>(kBlockBytes, left)));
    }
  }

 private:
  void append_filled(base::ByteView run) {
    block_.assign(run.begin(), run.end());
    const std::uint64_t end = next_ + run.size() / (bits_ / 8);
    for (RankedKey bumped_key{}; bumped_.take_below(end, bumped_key);)
      put_signature(block_.data(), bumped_key.rank - next_, {0, bumped_key.lo}, bits_);
    sink_.append(block_);
    next_ = end;
  }

  std::uint64_t n_;
  unsigned bits_;
  RankedBumped bumped_;
  base::Sink& sink_;
  std::uint64_t next_ = 0;  // rank
  base::Bytes block_;
};

}  // namespace

void write_signatures(const Function& function, unsigned bits, const BumpedKeys& bumped,
                      const base::BuildContext& context, base::Sink& sink,
                      const std::function<void(const AppendSignatures& append)>& runs) {
  SignatureJoin join(function.size(), bits, RankedBumped(bumped, function, context), sink);
  runs([&](base::ByteView run) { return join.append(run); });
  join.finish();
}

base::Bytes signatures_of_all(const stream::HashSource& keys, const Function& function,
                              unsigned bits, const base::BuildContext& context) {
  constexpr std::uint64_t kTask = std::uint64_t{1} << 14;
  const std::span<const Hash128> all = keys.whole(context).hashes;
  base::Bytes signatures(all.size() * (bits / 8));
  base::parallel_ranges(
      context.threads, all.size(), kTask, [&](std::uint64_t begin, std::uint64_t end) {
        for_each_ranked(function, all.subspan(begin, end - begin),
                        [&](std::span<const Hash128> block, const auto& ranks) {
                          for (std::size_t i = 0; i < block.size(); ++i)
                            put_signature(signatures.data(), ranks[i], block[i], bits);
                        });
      });
  return signatures;
}

}  // namespace crivo::mphf
