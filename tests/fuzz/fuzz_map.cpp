// SPDX-License-Identifier: Apache-2.0
/// Bytes as the section of any map algorithm (the first byte chooses): refused, or answered the
/// same way one key at a time and in a batch, within the width.
#include <array>
#include <cstdlib>

#include "fuzz/fuzz_input.hpp"
#include "structures/build/filter.hpp"
#include "structures/build/mphf.hpp"
#include "structures/build/static_function.hpp"
#include "structures/static_function.hpp"
#include "support/hashes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crivo;
  constexpr std::size_t kHashes = 200;
  static const std::vector<Hash128> hashes = test::random_hashes(kHashes);
  if (size == 0) return 0;
  const auto algorithms = map::builders();
  const map::Builder& algorithm = algorithms[data[0] % algorithms.size()];
  const fuzz::Input section(data + 1, size - 1);
  fuzz::expect_use_or_refusal([&] {
    const auto function = algorithm.algorithm().open(section.view(), {});
    const unsigned width = function->width();
    if (width > 64) std::abort();
    std::array<std::uint64_t, kHashes> values{};
    function->values(hashes, values.data());
    for (std::size_t i = 0; i < kHashes; ++i) {
      if (function->value(hashes[i]) != values[i]) std::abort();
      if (width < 64 && values[i] >> width != 0) std::abort();
    }
  });
  return 0;
}
