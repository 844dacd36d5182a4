// SPDX-License-Identifier: Apache-2.0
/// Bytes as the signatures of an MPHF over as many keys as the first two bytes say: refused, or a
/// match can be asked of every rank.
#include <cstdlib>

#include "fuzz/fuzz_input.hpp"
#include "structures/signatures.hpp"
#include "support/hashes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crivo;
  static const std::vector<Hash128> hashes = test::random_hashes(4);
  if (size < 2) return 0;
  const std::uint64_t keys = base::load_le<std::uint16_t>(reinterpret_cast<const std::byte*>(data));
  const fuzz::Input section(data + 2, size - 2);
  fuzz::expect_use_or_refusal([&] {
    const mphf::Signatures signatures(section.view(), keys);
    std::uint64_t matches = 0;
    for (std::uint64_t rank = 0; rank < keys; ++rank) {
      signatures.prefetch(rank);
      for (const Hash128 hash : hashes) matches += signatures.match(rank, hash) ? 1 : 0;
    }
    if (matches > keys * hashes.size()) std::abort();
  });
  return 0;
}
