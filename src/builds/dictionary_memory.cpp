// SPDX-License-Identifier: Apache-2.0
#include "builds/dictionary_memory.hpp"

#include <algorithm>

#include "base/spool.hpp"
#include "builds/spilled_of.hpp"
#include "stream/element.hpp"
#include "stream/run_log.hpp"
#include "structures/dictionary/builder.hpp"

namespace crivo::index {
namespace {

constexpr std::uint64_t kHashedKey = sizeof(stream::HashedValue);
constexpr std::uint64_t kRankedKey = sizeof(Hash128);

}  // namespace

std::uint64_t DictionaryMemory::peak(unsigned threads, const MemoryBudget& budget) const noexcept {
  // Fitted to the peak resident memory of builds of 10^3 to 10^6 URLs, and of words of Polish.
  constexpr double kProgram = 7.5e6;
  constexpr double kReading = 14e6;
  constexpr double kThread = 5e6;  // beside the first
  constexpr double kWideTokens = 33e6;
  constexpr double kNarrowTokens = 16e6;
  constexpr double kLittleTrained = 0.07e6;  // bytes that take half of that
  constexpr double kSampledText = 1.1 * 24;
  constexpr auto kSample = static_cast<double>(dictionary::RankSample::kBytes);

  const auto n = static_cast<double>(keys);
  const auto rest = static_cast<double>(rest_bytes);
  const double sampled = std::min(rest, 2 * kSample);
  const double sample = sampled + kSampledText * n * sampled / std::max(rest, 1.0);
  const double trained = std::min(rest, kSample);
  const double filled = trained / (trained + kLittleTrained);
  const double training = (token_bits > 8 ? kWideTokens : kNarrowTokens) * filled;
  const double others = kThread * filled * (threads - 1);
  const double kept = static_cast<double>(std::min(kept_bytes, most_kept(budget)));
  const double collecting = kept + sample;
  const auto most = static_cast<double>(most_streamed(budget));
  const auto streamed = static_cast<double>(streamed_bytes);
  // Texts that were spilled are no longer in memory when they are collected.
  const double sorting =
      spilled_texts(threads, budget) != 0 ? std::max(most, collecting) : streamed + collecting;
  const double in_order = collecting + training;
  double hashing = 0;
  if (hashed) {
    constexpr double kPartWork = 5e6;  // of each thread that builds the MPHF
    constexpr double kWorkKeys = 2e5;
    const auto most_held = static_cast<double>(most_kept(budget));
    constexpr double kMostLeased = 786'432;  // keys that one part of the MPHF is built of
    hashing = collecting + std::min(kHashedKey * n, most_held) +
              std::min(kRankedKey * n, most_held) +
              std::min(kHashedKey * std::min(n, kMostLeased), most_held) +
              kPartWork * threads * std::min(1.0, n / kWorkKeys);
  }
  return static_cast<std::uint64_t>(
      kProgram + others +
      std::max({in_order, hashing,
                streamed == 0 ? 0 : sorting + kReading * std::min(1.0, streamed / 4e6)}));
}

std::uint64_t DictionaryMemory::spilled_texts(unsigned threads,
                                              const MemoryBudget& budget) const noexcept {
  return stream::RunLog::spilled_of(streamed_bytes, keys, threads, most_streamed(budget));
}

std::uint64_t DictionaryMemory::spilled(unsigned threads,
                                        const MemoryBudget& budget) const noexcept {
  return spilled_texts(threads, budget) + base::Spool::spilled_of(kept_bytes, most_kept(budget)) +
         (hashed ? spilled_of(kHashedKey * keys, most_kept(budget)) +
                       spilled_of(kRankedKey * keys, most_kept(budget))
                 : 0);
}

}  // namespace crivo::index
