// SPDX-License-Identifier: Apache-2.0
/// Bytes as the updates of a store, as they are and with every check mended: refused, or any key
/// gets the same answer in every way of asking, and what a writer then commits is read.
#include <algorithm>

#include "fuzz/updated_store.hpp"
#include "support/temp_directory.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crivo;
  static const test::TempDirectory directory;
  static const fuzz::UpdatedStore store(directory.path());
  const auto given = std::as_bytes(std::span(data, size));
  store.put(given);
  store.use();
  base::Bytes mended(given.begin(), given.end());
  fuzz::UpdatesMender::mend(mended);
  if (!std::ranges::equal(mended, given)) {
    store.put(mended);
    store.use();
  }
  return 0;
}
