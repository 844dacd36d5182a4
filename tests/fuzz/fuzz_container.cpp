/// Bytes as a whole file: refused, or every section that its table names lies within them.
#include <cstdlib>
#include <string>

#include "file/container.hpp"
#include "fuzz/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crivo;
  const fuzz::Input bytes(data, size);
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
