// SPDX-License-Identifier: Apache-2.0
#include "build/dictionary_memory.hpp"

#include <algorithm>

#include "base/spool.hpp"
#include "stream/hashed_value.hpp"
#include "stream/run_log.hpp"
#include "structures/dictionary/build/builder.hpp"

namespace crivo::index {
namespace {

constexpr std::uint64_t kHashedKey = sizeof(stream::HashedValue);
constexpr std::uint64_t kRankedKey = sizeof(Hash128);

}  // namespace

std::uint64_t DictionaryMemory::peak(unsigned threads, const MemoryBudget& budget) const noexcept {
  // Fitted to the peak resident memory of builds of 10^4 to 4 * 10^6 URLs, names of hosts, words,
  // numbers and digests.
  constexpr double kProgram = 9.5e6;
  constexpr double kThread = 0.7e6;  // beside the first
  constexpr double kReading = 1e6;
  constexpr double kReadingThread = 5e6;  // likewise
  constexpr double kSampledText = 12;
  constexpr double kPair = 14;  // of neighbouring bytes

  const auto n = static_cast<double>(keys);
  const auto rest = static_cast<double>(rest_bytes);
  constexpr auto kSample = static_cast<double>(dictionary::RankSample::kBytes);
  const auto texts_in = [&](double bytes) { return n * bytes / std::max(rest, 1.0); };
  const double sampled = std::min(rest, static_cast<double>(dictionary::RankSample::kMostBytes));
  const double sample = sampled + kSampledText * texts_in(sampled);
  const double trained = std::min(rest, token_bits == 8 ? kSample / 2 : kSample);
  const double training = kPair * std::max(0.0, trained - texts_in(trained));
  const double others = kThread * (threads - 1);
  const double kept = static_cast<double>(std::min(kept_bytes, most_kept(budget)));
  const double collecting = kept + sample;
  const auto most = static_cast<double>(most_streamed(budget));
  const auto streamed = static_cast<double>(streamed_bytes);
  const double reading =
      (kReading + kReadingThread * (threads - 1)) * std::min(1.0, streamed / 4e6);
  // Texts that were spilled are no longer in memory when they are collected. Long ones come in
  // pieces that are divided again, one while another is sorted.
  constexpr double kDividing = 26e6;
  constexpr double kLongText = 16e3;
  const double dividing = kDividing * std::min(1.0, streamed / std::max(n, 1.0) / kLongText);
  const double sorting = spilled_texts(threads, budget) != 0 ? std::max(most, collecting) + dividing
                                                             : streamed + collecting;
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
      kProgram + others + std::max({in_order, hashing, streamed == 0 ? 0 : sorting + reading}));
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
