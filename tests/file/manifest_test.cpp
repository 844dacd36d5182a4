// SPDX-License-Identifier: Apache-2.0
/// The table of a manifest, which says where each page of its sections lies.
#include "file/manifest.hpp"

#include <gtest/gtest.h>

#include "crivo/error.hpp"

namespace crivo::file {
namespace {

constexpr std::uint64_t kPageBytes = 4096;

/// A page that is named twice is mapped or copied twice: a small file would take any memory.
TEST(ManifestTable, HasNoMorePagesOfAFileThanAreInIt) {
  constexpr std::uint64_t kOwnPages = 2;
  ManifestTable table;
  table.parts.push_back({"part", {}, 4 * kPageBytes});
  const std::uint32_t part = ManifestTable::kFirstPart;
  table.sections.push_back({1, 0, 4 * kPageBytes, {{part, 1, 3}, {ManifestTable::kOwn, 0, 1}}});
  table.sections.push_back({2, 0, 2 * kPageBytes, {{part, 0, 1}, {ManifestTable::kOwn, 1, 1}}});
  table.sections.push_back({3, 0, 64 * kPageBytes, {{ManifestTable::kNothing, 0, 64}}});
  EXPECT_EQ(decode_manifest(encode(table), kOwnPages, "manifest").sections.size(), 3U);
  for (const std::uint32_t source : {part, ManifestTable::kOwn}) {
    ManifestTable more = table;
    more.sections.push_back({4, 0, kPageBytes, {{source, 1, 1}}});
    EXPECT_THROW(decode_manifest(encode(more), kOwnPages, "manifest"), Error) << source;
  }
}

}  // namespace
}  // namespace crivo::file
