/// Bytes as a whole file: refused, or every section that its table names lies within them. Length
/// and checksum are put right first, or no mutation would get past them.
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "file/container.hpp"
#include "file/layout.hpp"
#include "fuzz/fuzz_input.hpp"

namespace {

using namespace crivo;
using namespace crivo::file::layout;

/// The header's places of the file's length, the table's offset, and the checksum.
constexpr std::size_t kLengthAt = 32;
constexpr std::size_t kTableAt = 40;
constexpr std::size_t kChecksumAt = 120;

void mend(std::span<std::byte> bytes) {
  const std::uint64_t size = bytes.size();
  if (size < kHeaderBytes + kFooterBytes) return;
  const auto table = base::load_le<std::uint64_t>(bytes.data() + kTableAt);
  if (table < kHeaderBytes || table > size - kFooterBytes) return;
  base::store_le(bytes.data() + kLengthAt, size);
  base::Bytes checked(bytes.begin(), bytes.begin() + kChecksumAt);
  checked.insert(checked.end(), bytes.begin() + static_cast<std::ptrdiff_t>(table),
                 bytes.end() - kFooterBytes);
  const std::uint64_t checksum = XXH3_64bits(checked.data(), checked.size());
  base::store_le(bytes.data() + kChecksumAt, checksum);
  std::byte* const footer = bytes.data() + (size - kFooterBytes);
  base::store_le(footer, size);
  base::store_le(footer + 8, checksum);
  std::ranges::copy(inverted_magic(), footer + 16);
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
    container.verify([](std::uint64_t) {});
  });
  return 0;
}
