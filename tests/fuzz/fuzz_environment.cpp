// SPDX-License-Identifier: Apache-2.0
/// Bytes as an index's section about the store's environment: refused, or written again as they
/// were.
#include <algorithm>
#include <cstdlib>

#include "fuzz/fuzz_input.hpp"
#include "records/backends/lmdb/environment.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crivo;
  const fuzz::Input section(data, size);
  fuzz::expect_use_or_refusal([&] {
    const auto decoded = records::EnvironmentSection::decode(section.view());
    if (!std::ranges::equal(decoded.encode(), section.view())) std::abort();
  });
  return 0;
}
