// SPDX-License-Identifier: Apache-2.0
// Files whose every checksum fits, and which no writer makes.

#include <gtest/gtest.h>

#include <fstream>

#include "crivo/filter.hpp"
#include "crivo/inspect.hpp"
#include "crivo/map.hpp"
#include "crivo/mphf.hpp"
#include "crivo/store.hpp"
#include "file/section_types.hpp"
#include "fuzz/mended_file.hpp"
#include "support/errors.hpp"
#include "support/read_file.hpp"
#include "support/temp_directory.hpp"

namespace crivo::test {
namespace {

const std::filesystem::path kGolden =
    std::filesystem::path(CRIVO_SOURCE_DIR) / "formats" / "golden";

void write_file(const std::filesystem::path& path, base::ByteView bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << base::as_text(bytes);
}

/// A golden file with one more section, of the bytes of its first.
void write_with_section(const std::string& golden, std::uint32_t type,
                        const std::filesystem::path& path) {
  fuzz::FileParts parts = fuzz::take_apart(read_file(kGolden / golden));
  fuzz::FileSection more = parts.sections.front();
  more.type = type;
  parts.sections.push_back(more);
  write_file(path, fuzz::put_together(parts));
}

// Which of the two would answer is not said: readers that choose answer differently.
TEST(HostileFile, WithTwoStructuresIsDamaged) {
  const TempDirectory directory;
  const auto path = directory.path() / "file.crv";
  const std::string problem =
      path.string() + ": damaged: it holds two structures that would answer";
  const auto expect_refusal = [&](const std::string& golden, std::uint32_t type, auto&& open) {
    write_with_section(golden, type, path);
    EXPECT_EQ(error_of(ErrorKind::corrupt, open), problem) << golden;
    EXPECT_EQ(error_of(ErrorKind::corrupt, [&] { verify(path); }), problem) << golden;
  };
  expect_refusal("mphf-300.crv", file::kConsensusSection, [&] { (void)Mphf::open(path); });
  expect_refusal("mwhc2-1000-universal.crv", file::kPhastSection, [&] { (void)Mphf::open(path); });
  expect_refusal("filter-1000-8.crv", file::kBloomSection, [&] { (void)Filter::open(path); });
  expect_refusal("bloom-3000.crv", file::kRibbonSection, [&] { (void)Filter::open(path); });
  expect_refusal("map-1000.crv", file::kFuseSection, [&] { (void)Map::open(path); });
  expect_refusal("map-21000-fuse.crv", file::kMwhcMapSection, [&] { (void)Map::open(path); });
}

TEST(HostileFile, HasEveryLayerOnce) {
  const TempDirectory directory;
  const auto path = directory.path() / "file.crv";
  const auto refusal = [&](ErrorKind kind, std::uint64_t tag) {
    fuzz::FileParts parts = fuzz::take_apart(read_file(kGolden / "cuckoo-3000.crv"));
    fuzz::FileSection more = parts.sections.front();
    more.tag = tag;
    parts.sections.push_back(more);
    write_file(path, fuzz::put_together(parts));
    return error_of(kind, [&] { (void)Filter::open(path); });
  };
  EXPECT_EQ(refusal(ErrorKind::corrupt, 1),
            path.string() + ": damaged: the header and the filter disagree on n");
  EXPECT_EQ(refusal(ErrorKind::corrupt, 2),
            path.string() + ": damaged: a layer of the filter is missing");
  EXPECT_EQ(refusal(ErrorKind::too_new, 16),
            path.string() +
                ": has a section of type 37 with the tag 16, which this program does "
                "not know; use a newer crivo");
}

TEST(HostileFile, OfAStoreSaysOnceWhereTheRecordsAre) {
  const TempDirectory directory;
  const auto path = directory.path() / "index.crv";
  const auto refusal = [&](const std::string& golden, std::uint32_t type) {
    write_with_section(golden + "/index.crv", type, path);
    return error_of(ErrorKind::corrupt, [&] { (void)Store::open(directory.path()); });
  };
  EXPECT_EQ(refusal("store-500-flat", file::kEnvironmentSection),
            path.string() + ": damaged: it holds two structures that would answer");
  EXPECT_EQ(refusal("store-500-flat", file::kSignatureSection),
            path.string() + ": damaged: it has both slots and signatures");
}

// A file of records without a key or a section. It is sound, and no index: that is no damage.
TEST(HostileFile, OfRecordsAloneIsNoIndex) {
  const TempDirectory directory;
  const auto path = directory.path() / "records.crv";
  fuzz::FileParts parts = fuzz::take_apart({});
  parts.header.kind = static_cast<std::uint32_t>(file::Kind::records);
  parts.header.key_hash = 1;
  base::Bytes bytes = fuzz::put_together(parts);
  write_file(path, bytes);
  const std::string answer = path.string() + ": is a part of a record store; name its directory";
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { (void)inspect(path); }), answer);
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { verify(path); }), answer);
  error_of(ErrorKind::usage, [&] { (void)Mphf::open(path); });
  bytes.back() ^= std::byte{1};
  write_file(path, bytes);
  error_of(ErrorKind::corrupt, [&] { verify(path); });
}

}  // namespace
}  // namespace crivo::test
