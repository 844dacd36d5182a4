// SPDX-License-Identifier: Apache-2.0
/// Bytes as a whole file: refused, or every section that its table names lies within them. Length
/// and checksum are put right first, or no mutation would get past them.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "file/container.hpp"
#include "file/layout.hpp"
#include "fuzz/fuzz_input.hpp"
#include "support/sealed.hpp"

namespace {

using namespace crivo;
using namespace crivo::file::layout;

void mend(std::span<std::byte> bytes) {
  if (bytes.size() < kHeaderBytes + kFooterBytes) return;
  base::store_le(bytes.data() + test::kLengthAt, std::uint64_t{bytes.size()});
  std::byte* const tail = bytes.data() + (bytes.size() - kFooterTailBytes);
  base::store_le(tail, std::uint64_t{bytes.size()});
  std::ranges::copy(inverted_magic(), tail + 16);
  test::seal(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input bytes(data, size);
  mend(bytes.writable());
  fuzz::expect_use_or_refusal([&] {
    const auto container = file::Container::over(bytes.view(), "input");
    for (const auto& section : container.sections()) {
      if (section.offset > size || section.length > size - section.offset) std::abort();
    }
    container.metadata();
    container.verify(1, [](std::uint64_t) {});
  });
  return 0;
}
