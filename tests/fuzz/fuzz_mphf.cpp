// SPDX-License-Identifier: Apache-2.0
/// Bytes as the section of any MPHF algorithm (the first byte chooses): refused, or ranks within
/// [0, n).
#include <cstdlib>

#include "fuzz/fuzz_input.hpp"
#include "structures/build/filter.hpp"
#include "structures/build/mphf.hpp"
#include "structures/build/static_function.hpp"
#include "structures/mphf.hpp"
#include "support/hashes.hpp"
#include "support/inlined_rank.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crivo;
  static const std::vector<Hash128> hashes = test::random_hashes(200);
  if (size == 0) return 0;
  const auto algorithms = mphf::builders();
  const mphf::Builder& algorithm = algorithms[data[0] % algorithms.size()];
  const fuzz::Input section(data + 1, size - 1);
  fuzz::expect_use_or_refusal([&] {
    const auto function = algorithm.algorithm().open(base::ByteView(section.view()));
    std::vector<std::uint64_t> ranks(hashes.size());
    function->ranks(hashes, ranks.data());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const std::uint64_t rank = function->rank(hashes[i]);
      if (rank != ranks[i] || rank != test::inlined_rank(*function, hashes[i]) ||
          (rank >= function->size() && rank != 0))
        std::abort();
    }
  });
  return 0;
}
