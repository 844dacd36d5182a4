// SPDX-License-Identifier: Apache-2.0
// The golden files as containers: whatever byte of one is changed, it is found.
#include <gtest/gtest.h>

#include <filesystem>

#include "crivo/error.hpp"
#include "file/container.hpp"
#include "support/read_file.hpp"
#include "support/sizes.hpp"

namespace crivo::file {
namespace {

bool is_found(base::ByteView bytes) {
  try {
    Container::over(bytes, "NAME").verify(1, [](std::uint64_t) {});
  } catch (const Error&) {
    return true;
  }
  return false;
}

TEST(Golden, EveryByteIsChecked) {
  int files = 0;
  const auto golden = std::filesystem::path(CRIVO_SOURCE_DIR) / "formats" / "golden";
  for (const auto& file : std::filesystem::recursive_directory_iterator(golden)) {
    const std::filesystem::path& path = file.path();
    if (path.extension() != ".crv" || path.parent_path().filename() == "bad") continue;
    ++files;
    base::Bytes bytes = test::read_file(path);
    EXPECT_FALSE(is_found(bytes)) << path;
    // Of the larger ones, which are one chunk each, not every byte.
    const std::size_t step = bytes.size() * test::kFewer / 5000 + 1;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      const std::byte flip{static_cast<unsigned char>(1U << (at % 8))};
      bytes[at] ^= flip;
      EXPECT_TRUE(is_found(bytes)) << path << ", byte " << at;
      bytes[at] ^= flip;
    }
  }
  EXPECT_GT(files, 40);
}

}  // namespace
}  // namespace crivo::file
