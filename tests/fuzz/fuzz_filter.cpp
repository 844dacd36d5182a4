// SPDX-License-Identifier: Apache-2.0
/// Bytes as the section of any filter type (the first byte chooses): refused, or answered the same
/// way one key at a time and in a batch. With 128 in the first byte the next four are the length of
/// the section, whose end is zeros, or ones up to the counts of a Bloom filter if it has its
/// highest bit: batches go another way where it fits in no cache.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "fuzz/fuzz_input.hpp"
#include "structures/build/filter.hpp"
#include "structures/build/mphf.hpp"
#include "structures/build/static_function.hpp"
#include "structures/filter.hpp"
#include "support/hashes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crivo;
  constexpr std::size_t kHashes = 200;
  static const std::vector<Hash128> hashes = test::random_hashes(kHashes);
  if (size == 0) return 0;
  const auto types = filter::builders();
  const filter::Builder& type = types[data[0] % 128 % types.size()];
  base::Bytes bytes(reinterpret_cast<const std::byte*>(data) + 1,
                    reinterpret_cast<const std::byte*>(data) + size);
  if (data[0] >= 128 && bytes.size() >= 4) {
    constexpr std::uint32_t kMostBytes = 8U << 20;
    const auto length = base::load_le<std::uint32_t>(bytes.data());
    bytes.erase(bytes.begin(), bytes.begin() + 4);
    constexpr std::uint32_t kCounts = 16;
    const std::uint32_t size = length % kMostBytes;
    if (length >> 31 != 0) bytes.resize(std::max(size, kCounts) - kCounts, std::byte{0xff});
    bytes.resize(size);
  }
  const fuzz::Input section{base::ByteView(bytes)};
  fuzz::expect_use_or_refusal([&] {
    const auto membership = type.type().open(section.view());
    if (!(membership->fpr() >= 0 && membership->fpr() <= 1)) std::abort();
    std::array<bool, kHashes> answers{};
    membership->contains(hashes, answers.data());
    const detail::FilterLookup lookup = membership->lookup();
    for (std::size_t i = 0; i < kHashes; ++i) {
      if (membership->contains(hashes[i]) != answers[i]) std::abort();
      if (lookup.contains(hashes[i]) != answers[i]) std::abort();
    }
    std::array<filter::NumberRun, kHashes> runs;
    for (std::size_t i = 0; i < kHashes; ++i) runs[i] = {hashes[i], hashes[i].lo | i};
    membership->contains_runs(runs, answers.data());
    for (std::size_t i = 0; i < kHashes; ++i) {
      if (membership->contains_run(runs[i]) != answers[i]) std::abort();
    }
  });
  return 0;
}
