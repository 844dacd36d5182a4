// SPDX-License-Identifier: Apache-2.0
/// Bytes as the section of any filter type (the first byte chooses): refused, or answered the same
/// way one key at a time and in a batch.
#include <array>
#include <cstdlib>

#include "fuzz/fuzz_input.hpp"
#include "structures/filter.hpp"
#include "support/hashes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crivo;
  constexpr std::size_t kHashes = 200;
  static const std::vector<Hash128> hashes = test::random_hashes(kHashes);
  if (size == 0) return 0;
  const auto types = filter::types();
  const filter::Type& type = types[data[0] % types.size()];
  const fuzz::Input section(data + 1, size - 1);
  fuzz::expect_use_or_refusal([&] {
    const auto membership = type.open(section.view());
    if (!(membership->fpr() >= 0 && membership->fpr() <= 1)) std::abort();
    std::array<bool, kHashes> answers{};
    membership->contains(hashes, answers.data());
    for (std::size_t i = 0; i < kHashes; ++i) {
      if (membership->contains(hashes[i]) != answers[i]) std::abort();
    }
  });
  return 0;
}
